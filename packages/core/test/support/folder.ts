// A directory of its own for each test, gone afterwards.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Folder extends AsyncDisposable {
  readonly path: string;
  /** A path inside. */
  at(...names: readonly string[]): string;
}

export async function temporaryFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "margay-test-"));
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
