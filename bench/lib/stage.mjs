/** What every measure stands on: the mock model, a home and a workspace for each program, the middle of samples. */
import { spawn } from "node:child_process";
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
