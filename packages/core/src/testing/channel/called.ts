/** Where a platform calls a channel of a case: its addresses over HTTP, as the gateway has them. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerCall, type ChannelHooks, createChannelHooks } from "../../channels/hooks.ts";
import type { Clock } from "../../contract/base.ts";

export interface CalledPlace extends AsyncDisposable {
  /** Of all processes of a case, one after the other. */
  readonly hooks: ChannelHooks;
  /** `http://127.0.0.1:…/hooks/channel/{id}/{path}`. */
  urlOf(id: string, path: string): string;
}

export async function startCalled(clock: Pick<Clock, "now">): Promise<CalledPlace> {
  const hooks = createChannelHooks();
  hooks.serve();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const [, , , id = "", path = ""] = (request.url ?? "").split("/");
    const headers = new Headers(request.headers as Record<string, string>); // none of them is sent twice here
    const call = { headers, body: Buffer.concat(parts) };
    const outcome = await answerCall(hooks.find(id, path), call, clock.now()).catch(() => undefined);
    if (outcome === undefined) response.writeHead(503).end();
    else if ("refused" in outcome) response.writeHead(401).end();
    else response.end(outcome.answer === undefined ? "" : JSON.stringify(outcome.answer));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy()); // it was cut off
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    hooks,
    urlOf: (id, path) => `http://127.0.0.1:${port}/hooks/channel/${id}/${path}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
