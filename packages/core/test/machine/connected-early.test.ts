// A connection that stands before anything is asked: real servers, which count who connects and what they are told.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { httpFetch } from "../../src/machine/http/http-fetch.ts";

interface Counted {
  readonly url: string;
  readonly server: Server;
  readonly sockets: Socket[];
  readonly asked: IncomingMessage[];
}

async function counted(): Promise<Counted> {
  const [sockets, asked]: [Socket[], IncomingMessage[]] = [[], []];
  const server = createServer((request, response) => {
    asked.push(request);
    request.resume().on("end", () => response.end("answer"));
  });
  server.on("connection", (socket) => sockets.push(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, sockets, asked };
}

test("the first request goes over the connection that was opened for it, and says what it would have said", async () => {
  const there = await counted();
  const connected = once(there.server, "connection");
  const ask = httpFetch({ connectTo: `${there.url}/v1` });
  await connected;
  expect(there.asked).toEqual([]);
  const response = await ask(`${there.url}/v1/chat?x=1`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: "é",
  });
  expect(await response.text()).toBe("answer");
  const plain = httpFetch();
  await (
    await plain(`${there.url}/v1/chat?x=1`, { method: "POST", headers: { authorization: "Bearer k" }, body: "é" })
  ).text();
  const said = there.asked.map(({ method, url, headers }) => ({ method, url, headers }));
  expect(said[0]).toEqual(said[1]);
  await (await ask(there.url)).text(); // and it is kept
  expect(there.sockets).toHaveLength(2);
});

test("one that the server closed meanwhile, that goes elsewhere or that never stood costs nobody a request", async () => {
  const there = await counted();
  const connected = once(there.server, "connection");
  const ask = httpFetch({ connectTo: there.url });
  const [socket] = (await connected) as [Socket];
  const closed = once(socket, "close");
  socket.resetAndDestroy();
  await closed;
  expect(await (await ask(there.url, { method: "POST", body: "a" })).text()).toBe("answer");

  const other = await counted();
  const elsewhere = httpFetch({ connectTo: other.url });
  expect(await (await elsewhere(there.url, { method: "POST", body: "b" })).text()).toBe("answer");
  expect(other.asked).toEqual([]);

  other.server.closeAllConnections();
  await new Promise((done) => other.server.close(done));
  const nobody = httpFetch({ connectTo: other.url });
  await expect(nobody(other.url, { method: "POST", body: "c" })).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("a process that asks nothing after all is not held open by it", async () => {
  const there = await counted();
  const path = new URL("../../src/machine/http/http-fetch.ts", import.meta.url).href;
  const program = `const { httpFetch } = await import(${JSON.stringify(path)}); httpFetch({ connectTo: ${JSON.stringify(there.url)} });`;
  // The server is in this process, which waits: the kernel connects all the same.
  execFileSync(process.execPath, ["--conditions=margay-source", "--input-type=module", "-e", program], {
    timeout: 10_000,
  });
  expect(there.asked).toEqual([]);
});
