// What a dead channel costs a live one, in turn, message by message: the built gateway with one webhook, and the same with three
// dead channels beside it: one whose platform takes connections and says nothing, one that nobody answers, and one whose twenty
// replies hang. Accept: the POST that brings a message is answered. Answer: the reply is posted. node bench/neighbors.mjs [messages]
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcp } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeWith, startGateway } from "./lib/built-gateway.mjs";
import { sleep, stop } from "./lib/proc.mjs";
import { median, startMock } from "./lib/stage.mjs";

const MESSAGES = Number(process.argv[2] ?? 300);
const WARM = 20;
const SECRET = "secret-of-this-bench";
const node = process.execPath;
const root = mkdtempSync(join(tmpdir(), "margay-neighbors-bench-"));
const mock = await startMock(node);

async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

/** Where nobody listens. */
async function freePort() {
  const server = createTcp();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}

/** Posted as its platform would. @returns when it was taken. */
async function post(port, body) {
  const raw = JSON.stringify({ chat: "chat", sender: "ada", private: true, text: "Are you there?", ...body });
  const at = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", SECRET).update(`${at}.${raw}`).digest("hex");
  const response = await fetch(`http://127.0.0.1:${port}/webhook`, {
    method: "POST",
    headers: { "x-margay-timestamp": at, "x-margay-signature": `v1=${signature}` },
    body: raw,
  });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  await response.text();
}

/** It reads, and says nothing. */
const silent = createTcp(
  (socket) =>
    void socket
      .unref()
      .on("error", () => {})
      .resume(),
);
const silentUrl = `http://127.0.0.1:${await listen(silent)}`;
const webhook = (url, port) => ({
  kind: "webhook",
  enabled: true,
  secret: SECRET,
  operators: ["ada"],
  options: { url, port },
});

async function stateOf({ url, token }, id) {
  const response = await fetch(`${url}/api/v1/channels`, { headers: { authorization: `Bearer ${token}` } });
  return (await response.json()).find((one) => one.id === id)?.state;
}

async function openPlace(name, beside) {
  let told = () => {};
  const receiver = createServer((request, response) => {
    request.resume().once("end", () => {
      response.end();
      told();
    });
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${await listen(receiver)}/`;
  const home = homeWith(join(root, name), mock.url, { channels: { live: webhook(url, port), ...beside } });
  const gateway = await startGateway(node, home);
  while ((await stateOf(gateway, "live")) !== "up") await sleep(50);
  let count = 0;
  return {
    gateway,
    receiver,
    accept: [],
    answer: [],
    processor: [],
    async say() {
      const answered = new Promise((resolve) => (told = resolve));
      const startedAt = performance.now();
      await post(port, { id: `m-${(count += 1)}` });
      const accepted = performance.now();
      await answered;
      return { accept: accepted - startedAt, answer: performance.now() - accepted };
    },
  };
}

const percentile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
const places = [];
try {
  const deadPort = await freePort();
  places.push(await openPlace("alone", {}));
  places.push(
    await openPlace("beside", {
      silent: { kind: "telegram", enabled: true, token: "1:nobody-has-this-token", baseUrl: silentUrl },
      away: {
        kind: "discord",
        enabled: true,
        token: "nobody-has-this-token",
        baseUrl: `http://127.0.0.1:${await freePort()}`,
      },
      hangs: webhook(silentUrl, deadPort),
    }),
  );
  while ((await stateOf(places[1].gateway, "hangs")) !== "up") await sleep(50);
  for (let chat = 0; chat < 20; chat += 1) await post(deadPort, { id: `d-${chat}`, chat: `dead-${chat}` });
  for (let message = 0; message < WARM + MESSAGES; message += 1)
    for (const place of message % 2 === 0 ? places : places.toReversed()) {
      const before = place.gateway.cpuMs();
      const { accept, answer } = await place.say();
      if (message < WARM) continue;
      place.accept.push(accept);
      place.answer.push(answer);
      place.processor.push(place.gateway.cpuMs() - before);
    }
  const [alone, beside] = places;
  const rows = ["accept", "answer", "processor"].flatMap((what) =>
    [
      ["p50", median],
      ["p99", (values) => percentile(values, 0.99)],
    ].map(([name, of]) => {
      const [one, other] = [of(alone[what]), of(beside[what])];
      const figures = { "alone, ms": one, "beside dead ones, ms": other, ratio: other / one };
      return [
        `${what}, ${name}`,
        Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, value.toFixed(2)])),
      ];
    }),
  );
  console.table(Object.fromEntries(rows));
} finally {
  for (const { gateway, receiver } of places) {
    await stop(gateway.child);
    receiver.close();
    receiver.closeAllConnections();
  }
  silent.close();
  await mock.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
