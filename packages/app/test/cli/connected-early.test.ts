// One answer of a fresh process: the connection to the model is opened while the rest is constructed.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./harness.ts";

test("a command that asks connects before it asks, and a question that is refused leaves nothing behind", async () => {
  const app = margay();
  let [connections, requests] = [0, 0];
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.writeHead(400).end();
  }).on("connection", () => (connections += 1));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  app.configure(modelConfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  await app.run(["agent", "-m", "hello"]);
  expect([connections, requests]).toEqual([1, 1]);

  await app.run(["stop", "--all"]);
  expect([connections, requests]).toEqual([1, 1]); // who asks nothing does not connect
  const connected = once(server, "connection");
  await app.run(["agent", "-m", "hello"]);
  await connected;
  expect([connections, requests]).toEqual([2, 1]);
});
