// Runs the extraction of a page in a worker thread with a bound on its memory and time.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import type { Clock } from "../../contract/base.ts";
import type { Readable } from "./readable.ts";
import type { ReadableJob } from "./readable-worker.ts";

const MAX_HTML_CHARS = 2_000_000;
/** A page of 2 MB takes some 5 s on a quiet core; most of a fetch's minute is left. */
const MAX_MS = 20_000;
const MAX_MEMORY_MB = 512;

/** @throws the signal's reason; Error when the page needs more than 20 s or 512 MB. */
export async function readPage(job: ReadableJob, clock: Clock, signal: AbortSignal): Promise<Readable> {
  const bounded = { ...job, html: job.html.slice(0, MAX_HTML_CHARS) };
  // Short pages too: loading the libraries alone would hold the event loop for 150 ms.
  const path = workerPath();
  if (path === undefined) {
    const { extractReadable } = await import("./readable.ts");
    return await extractReadable(bounded.html, job.url, job.mode);
  }
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // Pages are strangers' input: the thread gets no environment.
  const worker = new Worker(path, {
    workerData: bounded,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    stdout: true,
    stderr: true,
  });
  const ended = new AbortController();
  try {
    const late = clock.sleep(MAX_MS, AbortSignal.any([signal, ended.signal])).then(() => {
      throw new Error("the page takes too long to read");
    });
    return await Promise.race([answerOf(worker), late]);
  } finally {
    ended.abort(new Error("ended"));
    await worker.terminate();
  }
}

function answerOf(worker: Worker): Promise<Readable> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the page could not be read")));
  });
}

/** Beside this file, under the same extension: sources and builds alike. Undefined in a bundle without it. */
function workerPath(): string | undefined {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const path = fileURLToPath(new URL(`./readable-worker.${extension}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}
