// Somebody who exchanges what stands at a path as fast as the disk allows, in a thread of its own, while a tool is at work.
import { Worker } from "node:worker_threads";

/** One name and what stands there in turns: each is made aside and moved over it, so that something always stands there. */
export interface Swap {
  readonly path: string;
  readonly between: readonly Stand[];
}
export type Stand =
  | { readonly kind: "file"; readonly text: string }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "hard-link"; readonly target: string }
  | { readonly kind: "pipe"; readonly target: string };

const PROGRAM = `
const { linkSync, renameSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
const { workerData, parentPort } = require("node:worker_threads");
const { swap: { path, between }, stop } = workerData;
const aside = path + ".aside";
const put = (stand) => {
  rmSync(aside, { force: true });
  if (stand.kind === "file") writeFileSync(aside, stand.text);
  else if (stand.kind === "link") symlinkSync(stand.target, aside);
  else linkSync(stand.target, aside);
  renameSync(aside, path);
};
let turns = 0;
while (Atomics.load(stop, 0) === 0) {
  for (const stand of between) put(stand);
  if (++turns === 1) parentPort.postMessage("begun");
}
rmSync(aside, { force: true });
`;

/** Runs `work` while the exchange goes on; ends when both have. */
export async function whileSwapping<T>(swap: Swap, work: () => Promise<T>): Promise<T> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(PROGRAM, { eval: true, workerData: { swap, stop } });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
  try {
    await Promise.race([new Promise((resolve) => worker.once("message", resolve)), ended]);
    return await work();
  } finally {
    Atomics.store(stop, 0, 1);
    await ended;
  }
}
