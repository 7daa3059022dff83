// Which shell reads a command: bash where there is one, because that is what models write.
import fs from "node:fs";

/** Fixed places only: a shell from the workspace or from PATH would not be the operator's. */
const SHELLS = ["/bin/bash", "/usr/bin/bash", "/bin/sh"] as const;

export function shellPath(): string {
  return SHELLS.find((path) => fs.existsSync(path)) ?? "/bin/sh";
}
