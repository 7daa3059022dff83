// The worker thread of search_files: one request, one answer. Built as a file of its own beside its caller.
import { parentPort, workerData } from "node:worker_threads";
import type { SearchRequest } from "./search-protocol.ts";
import { searchTree } from "./search-tree.ts";

// Only search-files.ts starts this file, and this is what it gives.
parentPort?.postMessage(searchTree(workerData as SearchRequest));
