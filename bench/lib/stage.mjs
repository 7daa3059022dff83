/** What every measure stands on: the mock model, a home and a workspace for each program, the middle of samples. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stop } from "./proc.mjs";

const kitDir = dirname(dirname(fileURLToPath(import.meta.url)));

/** The mock model in a process of its own. */
export async function startMock(node) {
  const child = spawn(node, [join(kitDir, "mock-llm.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  const { url } = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.stdout.once("data", (data) => resolve(JSON.parse(data)));
  });
  const call = async (path, init) => (await fetch(url + path, init)).json();
  return {
    url,
    reset: () => call("/__reset", { method: "POST" }),
    stats: () => call("/__stats"),
    body: (i) => call(`/__body?i=${i}`),
    stop: () => stop(child),
  };
}

/** Length of a trip to `startFar` and back: a provider on another continent. */
const TRIP_MS = 40;

/** The same address from far away, over TLS. `env`: what a program needs to trust it. */
export async function startFar({ node, url, folder }) {
  const [key, certificate] = ["key.pem", "certificate.pem"].map((name) => join(folder, name));
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const named = ["-subj", "/CN=far", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", [...made, ...named, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const { hostname, port } = new URL(url);
  const args = [join(kitDir, "lib/slow-tls.mjs"), hostname, port, key, certificate, String(TRIP_MS)];
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "inherit"] });
  const said = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.stdout.once("data", (data) => resolve(JSON.parse(data)));
  });
  return {
    url: `https://127.0.0.1:${said.port}`,
    env: { NODE_EXTRA_CA_CERTS: certificate },
    stop: () => stop(child),
  };
}

/** A home and a workspace of the program's own. */
export function place(adapter, { root, node, mockUrl, peers = join(root, "peers") }) {
  const home = join(root, adapter.name);
  const workspace = join(home, "work");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(
    join(workspace, "README.md"),
    `# Workspace\n\n${"A small file that the read tool reads.\n".repeat(10)}`,
  );
  const env = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "1",
    PI_OFFLINE: "1",
    DO_NOT_TRACK: "1",
  };
  return {
    home,
    workspace,
    env,
    kitDir,
    peersDir: adapter.kind === "floor" ? join(root, "peers") : peers,
    node,
    mockUrl,
  };
}

/** Of the numbers among the values; undefined without any. */
export function median(values) {
  const sorted = values.filter((value) => Number.isFinite(value)).toSorted((a, b) => a - b);
  return sorted.length > 0 ? (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2 : undefined;
}
