/**
 * Whether this machine has a model server of its own: ally looks for one at its first start, and would find that.
 */
import { LOCAL_PORTS } from "../../src/model/server_kind.ts";

/** Whether anything listens where ally looks for a model server. */
export async function hasModelServer(): Promise<boolean> {
  const listens = async (port: number) => {
    try {
      using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
      return true;
    } catch {
      return false;
    }
  };
  return (await Promise.all(LOCAL_PORTS.map(listens))).includes(true);
}
