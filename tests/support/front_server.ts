/**
 * A server before another one, which answers some requests itself.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens, and passes on that a client has left, which ends what was asked for it. */
export async function startFrontServer(
  answer: (
    request: IncomingMessage,
    options: { text: string; signal: AbortSignal },
  ) => Promise<Response>,
  port = 0,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const listener = createServer(async (request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    try {
      let text = "";
      for await (const chunk of request.setEncoding("utf8")) text += chunk;
      const { status, headers, body } = await answer(request, { text, signal: gone.signal });
      response.writeHead(status, [...headers].flat());
      for await (const chunk of body ?? []) response.write(chunk);
      response.end();
    } catch {
      // The client has left, or the server behind was killed.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => listener.listen(port, "127.0.0.1", resolve));
  const address = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
