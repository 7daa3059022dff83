// Extraction takes half a second of CPU for a long page: it has a thread of its own.
import { parentPort, workerData } from "node:worker_threads";
import { extractReadable, type ExtractMode } from "./readable.ts";

export interface ReadableJob {
  readonly html: string;
  readonly url: string;
  readonly mode: ExtractMode;
}

const { html, url, mode } = workerData as ReadableJob; // written by page-reader.ts
parentPort?.postMessage(await extractReadable(html, url, mode));
