// Programs the tests call that npm cannot install. Root installs what is missing; everyone else is told the command. What has an
// `instead` only makes them faster: where it cannot be installed that one does its work.
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { inherit, say } from "./toolchain.mjs";

const TOOLS = [
  { command: "bash", package: "bash", why: "exec runs commands with it" },
  { command: "bwrap", package: "bubblewrap", why: "exec confines commands with it" },
  { command: "caddy", package: "caddy", why: "docs/reverse-proxy.md is tried with it", service: "caddy" },
  { command: "chromium", package: "chromium fonts-noto-cjk", why: "the pages are tested in a real browser" },
  {
    command: "chromium-headless-shell",
    package: "chromium-headless-shell",
    why: "the same browser without what is around a page, for a third of the work",
    instead: "chromium",
  },
  { command: "curl", package: "curl", why: "code blocks of the documentation ask the gateway with it" },
  {
    command: "doveadm",
    package: "dovecot-imapd dovecot-lmtpd",
    why: "the e-mail channel reads from a real IMAP server",
    service: "dovecot",
  },
  { command: "espeak-ng", package: "espeak-ng", why: "a reply is read aloud by a real program" },
  { command: "ffmpeg", package: "ffmpeg", why: "a voice note is converted, and listened to" },
  { command: "firefox-esr", package: "firefox-esr", why: "Web Push is tried in a browser that names its push service" },
  { command: "fish", package: "fish", why: "completion is tried in a real fish" },
  { command: "gcc", package: "gcc libc6-dev", why: "an ordinary command must work in the sandbox: this one compiles" },
  { command: "groff", package: "groff", why: "the man page is set by a real one, without a warning" },
  { command: "git", package: "git", why: "the workspace tests use real repositories" },
  { command: "jq", package: "jq", why: "an ordinary command of the sandbox tests" },
  { command: "man", package: "man-db", why: "the man page is shown by it, without a warning" },
  { command: "make", package: "make", why: "an ordinary command of the sandbox tests" },
  { command: "strace", package: "strace", why: "a home that is moved is killed at each of its renames with it" },
  {
    command: "newuidmap",
    package: "uidmap",
    why: "the attacks on the sandbox need users beside the one who runs them",
  },
  { command: "nginx", package: "nginx-light", why: "docs/reverse-proxy.md is tried with it", service: "nginx" },
  { command: "openssl", package: "openssl", why: "a network test makes a certificate that nobody signed" },
  {
    command: "postfix",
    package: "postfix",
    why: "mails of the e-mail channel go through a real mail server",
    service: "postfix",
    // Its usual answer makes this machine a mail server of its own name.
    answer: "postfix postfix/main_mailer_type select No configuration",
  },
  { command: "prosody", package: "prosody", why: "the XMPP channel talks to a real server", service: "prosody" },
  { command: "ps", package: "procps", why: "process tests look for children that were left behind" },
  { command: "python3", package: "python3", why: "many attacks on the sandbox are written in it" },
  { command: "rclone", package: "rclone", why: "a backup goes to the WebDAV server in it" },
  { command: "restic", package: "restic", why: "a backup goes to a repository of it" },
  { command: "tmux", package: "tmux", why: "terminal tests type into a real terminal" },
  { command: "zsh", package: "zsh", why: "completion is tried in a real zsh" },
];

export function missingTools() {
  return TOOLS.filter(({ command }) => !onPath(command));
}

/** @returns false when something is still missing; what to do is on stderr. */
export async function installTools(allMissing) {
  const missing = allMissing.filter(({ instead }) => instead === undefined);
  const installed = missing.length === 0 || (await installAll(missing));
  if (installed && mayInstall())
    for (const one of allMissing.filter((tool) => !missing.includes(tool))) await install(one);
  return installed;
}

async function installAll(missing) {
  const packages = missing.flatMap((tool) => tool.package.split(" "));
  const byHand = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  for (const { command, why } of missing) say(`${command} is missing: ${why}.`);
  if (!mayInstall()) {
    say(
      `The tests need it. Run: ${onPath("apt-get") ? `sudo sh -c '${byHand}'` : `your package manager for ${packages.join(", ")}`}`,
    );
    return false;
  }
  await install(...missing);
  const still = missing.filter(({ command }) => !onPath(command));
  if (still.length > 0)
    say(`Still missing after the installation: ${still.map(({ command }) => command).join(", ")}. Run: ${byHand}`);
  return still.length === 0;
}

function mayInstall() {
  return process.getuid?.() === 0 && onPath("apt-get");
}

async function install(...tools) {
  const packages = tools.flatMap((tool) => tool.package.split(" "));
  say(`installing ${packages.join(", ")} …`);
  const options = { stdin: "ignore", stdout: "stderr", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  const wait = ["-o", "DPkg::Lock::Timeout=300", "-qq"];
  await inherit("apt-get", [...wait, "update"], options);
  for (const { answer } of tools) if (answer !== undefined) await preset(answer, options);
  // A mail server that the machine has would make room for ours.
  const how = ["install", "-y", "--no-install-recommends", "--no-remove"];
  const work = () => inherit("apt-get", [...wait, ...how, ...packages], options);
  const services = tools.flatMap(({ service }) => service ?? []);
  if (services.length === 0) await work();
  else await withoutServices(services, work);
}

/** What a package would ask at its installation. */
async function preset(answer, options) {
  const folder = mkdtempSync(join(tmpdir(), "margay-answers-"));
  const file = join(folder, "answers");
  writeFileSync(file, `${answer}\n`);
  try {
    await inherit("debconf-set-selections", [file], options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server that comes for the tests alone listens where a test says, and nowhere else: neither now nor after the next boot. */
async function withoutServices(services, work) {
  let isOurs = true;
  try {
    writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755, flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    isOurs = false; // containers have one of their own
  }
  try {
    await work();
  } finally {
    if (isOurs) rmSync(POLICY, { force: true });
  }
  if (onPath("systemctl"))
    await inherit("systemctl", ["disable", "--quiet", ...services], { stdin: "ignore", stdout: "ignore" }).catch(
      () => {},
    );
}

/** What Debian asks before it starts a service. */
const POLICY = "/usr/sbin/policy-rc.d";

/** Where Debian keeps servers: not on the path of an ordinary user. */
const SERVERS = "/usr/sbin";

function onPath(command) {
  return [...(process.env.PATH ?? "").split(delimiter), SERVERS].some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });
}
