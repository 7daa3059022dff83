// Tests start the program as it is installed: it is built anew when its sources have changed.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export function setup() {
  const build = join(import.meta.dirname, "../build.mjs");
  const { status } = spawnSync(process.execPath, [build], {
    stdio: "inherit",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  if (status !== 0) throw new Error("The program could not be built: see above.");
}
