/** The built gateway in a home of its own, and what it takes of the processor. Linux only, by way of /proc. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const BIN = join(import.meta.dirname, "../../packages/app/bin/margay.js");

/** A home with the mock model, and what else is in its configuration. */
export function homeWith(folder, mockUrl, more = {}) {
  const home = join(folder, "state");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const config = {
    workspace: join(folder, "work"),
    model: "bench/bench",
    providers: { bench: { api: "openai-chat", baseUrl: `${mockUrl}/v1`, apiKey: "bench-key" } },
    heartbeat: { enabled: false },
    ...more,
    gateway: { port: 0, limits: { requestsPerMinute: 1e6, sendsPerMinute: 1e6 } },
  };
  writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
  return home;
}

/** Resolves when it says where it is. */
export async function startGateway(node, home) {
  const startedAt = performance.now();
  const child = spawn(node, [BIN, "gateway", "--no-open"], {
    env: { PATH: process.env.PATH, HOME: home, MARGAY_HOME: home, NO_COLOR: "1", LANG: "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part) => (said += part));
  const ended = once(child, "exit").then(() => {
    throw new Error(`the gateway did not start: ${said.slice(-500)}`);
  });
  ended.catch(() => {}); // it ends some time
  await Promise.race([once(child.stdout, "data"), ended]);
  const readyMs = performance.now() - startedAt;
  const { url, token } = JSON.parse(readFileSync(join(home, "gateway.json"), "utf8"));
  return { child, url, token, readyMs, cpuMs: () => cpuMs(child.pid) };
}

/** Of its thread that serves, to the microsecond. What V8 does beside it depends on when it collects, and not on what is asked. */
function cpuMs(pid) {
  const [ns] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(ns) / 1e6;
}

/** One answer to the owner. @returns how long it took. */
export async function ask({ url, token }, content) {
  const startedAt = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "margay", messages: [{ role: "user", content }] }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${answer.slice(0, 500)}`);
  return performance.now() - startedAt;
}
