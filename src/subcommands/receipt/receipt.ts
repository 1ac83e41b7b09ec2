/**
 * `ally verify` checks a receipt, `ally undo` takes back what its run did to files.
 */
import type { Io } from "../../app/io.ts";
import type { ReceiptRequest } from "./command.ts";

/** Does what is asked for and returns the exit code. @throws {UsageError} the file is no receipt */
export async function runReceipt(
  { request }: { request: ReceiptRequest },
  io: Io,
): Promise<number> {
  switch (request.what) {
    case "verify":
      return await (await import("./verify.ts")).verifyReceipt(request, io);
    case "undo":
      return await (await import("./undo.ts")).undoByReceipt(request, io);
  }
}
