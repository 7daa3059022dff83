// What a channel asks of its platform over HTTP: what certainly did not arrive, what may have, and where nothing goes.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { onTestFinished, expect, test } from "vitest";
import type { ChannelHost } from "../../src/contract/channel.ts";
import { temporary, testHost } from "./alone.ts";

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (answer: RequestListener): Promise<string> => listening(createServer(answer));

async function asked(url: string, more: Partial<Parameters<ChannelHost["request"]>[2]> = {}): Promise<unknown> {
  const { request } = testHost("test", temporary("request"));
  const limits = { ms: 5000, maxBytes: 1_048_576, signal: new AbortController().signal, ...more };
  const answer = await request(url, { method: "POST", body: "a reply" }, limits);
  return answer instanceof Response ? [answer.status, await answer.text()] : [answer.failed, answer.sent];
}

test("CH45 where no connection came to stand nothing was sent: nobody is there, no such name, no encryption, its end before it stood", async () => {
  const nobody = createSocketServer();
  const port = await listening(nobody);
  nobody.close();
  await once(nobody, "close");
  const plain = await serve((_request, response) => response.end("hello"));
  const rude = await listening(createSocketServer((socket) => void socket.destroy()));
  expect(await asked(`http://${port}/`)).toEqual(["ECONNREFUSED", "no"]);
  expect(await asked("http://nowhere.invalid/")).toEqual([expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/), "no"]);
  expect(await asked(`https://${plain}/`)).toEqual([expect.stringContaining("ERR_SSL_"), "no"]);
  expect(await asked(`https://${rude}/`)).toEqual(["ECONNRESET", "no"]);
});

test("CH45 what broke off behind the request may have been done: no answer, half of one, none in time, one that is too large", async () => {
  const lost = await serve((request) => void request.socket.destroy());
  const half = await serve((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => void response.destroy());
  });
  const slow = await serve(() => {});
  const large = await serve((_request, response) => response.end(Buffer.alloc(2_000_000)));
  expect(await asked(`http://${lost}/`)).toEqual([expect.any(String), "maybe"]);
  expect(await asked(`http://${half}/`)).toEqual([expect.any(String), "maybe"]);
  expect(await asked(`http://${slow}/`, { ms: 600 })).toEqual(["no answer within 1 s", "maybe"]);
  expect(await asked(`http://${large}/`)).toEqual(["it is larger than 1 MB", "maybe"]);
});

test("CH45 CH57 a refusal is an answer, and whoever stops waits for none", async () => {
  const refused = await serve((_request, response) => response.writeHead(429).end("later"));
  expect(await asked(`http://${refused}/`)).toEqual([429, "later"]);
  const over = new AbortController();
  const stop = new Error("stop");
  const slow = await serve(() => over.abort(stop));
  await expect(asked(`http://${slow}/`, { signal: over.signal })).rejects.toBe(stop);
});

test("CH45 no redirect is followed: what the request holds goes to nobody else", async () => {
  const seen: string[] = [];
  const other = await serve((request, response) => {
    seen.push(request.url ?? "");
    response.end("thank you");
  });
  const platform = await serve((_request, response) =>
    response.writeHead(307, { location: `http://${other}/elsewhere` }).end(),
  );
  expect(await asked(`http://${platform}/token`)).toEqual(["unexpected redirect", "maybe"]);
  expect(seen).toEqual([]);
});
