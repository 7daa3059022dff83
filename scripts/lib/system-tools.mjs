// Programs the tests call that npm cannot install. Root installs what is missing; everyone else is told the command.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { inherit, say } from "./toolchain.mjs";

const TOOLS = [
  { command: "bash", package: "bash", why: "exec runs commands with it" },
  { command: "bwrap", package: "bubblewrap", why: "exec confines commands with it" },
  { command: "chromium", package: "chromium fonts-noto-cjk", why: "the pages are tested in a real browser" },
  { command: "gcc", package: "gcc libc6-dev", why: "an ordinary command must work in the sandbox: this one compiles" },
  { command: "git", package: "git", why: "the workspace tests use real repositories" },
  { command: "jq", package: "jq", why: "an ordinary command of the sandbox tests" },
  { command: "make", package: "make", why: "an ordinary command of the sandbox tests" },
  { command: "openssl", package: "openssl", why: "a network test makes a certificate that nobody signed" },
  { command: "ps", package: "procps", why: "process tests look for children that were left behind" },
  { command: "python3", package: "python3", why: "many attacks on the sandbox are written in it" },
  { command: "tmux", package: "tmux", why: "terminal tests type into a real terminal" },
];

export function missingTools() {
  return TOOLS.filter(({ command }) => !onPath(command));
}

/** @returns false when something is still missing; what to do is on stderr. */
export async function installTools(missing) {
  if (missing.length === 0) return true;
  const packages = missing.flatMap((tool) => tool.package.split(" "));
  const install = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  for (const { command, why } of missing) say(`${command} is missing: ${why}.`);
  if (process.getuid?.() !== 0 || !onPath("apt-get")) {
    say(
      `The tests need it. Run: ${onPath("apt-get") ? `sudo sh -c '${install}'` : `your package manager for ${packages.join(", ")}`}`,
    );
    return false;
  }
  say(`installing ${packages.join(", ")} …`);
  const options = { stdin: "ignore", stdout: "stderr", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  const wait = ["-o", "DPkg::Lock::Timeout=300", "-qq"];
  await inherit("apt-get", [...wait, "update"], options);
  await inherit("apt-get", [...wait, "install", "-y", "--no-install-recommends", ...packages], options);
  const still = missing.filter(({ command }) => !onPath(command));
  if (still.length > 0)
    say(`Still missing after the installation: ${still.map(({ command }) => command).join(", ")}. Run: ${install}`);
  return still.length === 0;
}

function onPath(command) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });
}
