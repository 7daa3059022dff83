import { tmpdir } from "node:os";
import { join } from "node:path";

/** Environment of a program that a test starts from its sources: what the first one made of them is kept for the others. */
export const COMPILED: Readonly<Record<string, string>> = { NODE_COMPILE_CACHE: join(tmpdir(), "margay-compiled") };
