// A local server that stands for the public web.
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createSafeFetch, type SafeFetch } from "../../src/machine/http/safe-fetch.ts";

export interface Web extends AsyncDisposable {
  readonly requests: { readonly url: string; readonly headers: http.IncomingHttpHeaders; readonly body: string }[];
  readonly fetch: SafeFetch;
  /** Where it really listens. */
  readonly base: string;
}

export async function openWeb(answer: (path: string, response: http.ServerResponse) => void): Promise<Web> {
  const requests: { url: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      requests.push({ url: `${request.headers.host}${request.url}`, headers: request.headers, body });
      answer(request.url ?? "/", response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    base: `http://127.0.0.1:${port}`,
    fetch: createSafeFetch({
      clock: systemClock(),
      resolve: async (host) => (host.endsWith(".test") ? ["93.184.216.34"] : []),
      connect: () => net.connect(port, "127.0.0.1"),
      allowHosts: [`127.0.0.1:${port}`],
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
