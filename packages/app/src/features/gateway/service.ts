/** `margay gateway install`: the gateway as a systemd service of this user, started with the machine and after a failure. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { makeDirectory, readIfExists, replaceFile } from "@margay/core/internal";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine } from "../../host/cli/output.ts";

const UNIT = "margay.service";
/** State and configuration stand as they are: starting again changes neither. */
const NO_RESTART = [EXIT.busy, EXIT.config];
/** Set by the unit: what ends is started again, so pages may ask for a restart. */
export const SUPERVISED = "MARGAY_SUPERVISED";

export const installService: Run = async (cli) => {
  cli.load(); // a configuration that cannot be read is said now, not in the journal of systemd
  const path = unitPath(cli);
  makeDirectory(join(path, ".."));
  replaceFile(path, unitText(cli), 0o644); // nothing secret stands in it
  await systemctl(cli, ["daemon-reload"]);
  await systemctl(cli, ["enable", UNIT]);
  await systemctl(cli, ["restart", UNIT]);
  cli.terminal.out(cli.json ? jsonLine({ unit: path }) : `${cli.t("service.installed", { path })}\n`);
  return EXIT.done;
};

export const uninstallService: Run = async (cli) => {
  const path = unitPath(cli);
  if (readIfExists(path) === undefined) throw new RuntimeError("usage.wrong", cli.t("service.none", { path }));
  await systemctl(cli, ["disable", "--now", UNIT]);
  rmSync(path, { force: true });
  await systemctl(cli, ["daemon-reload"]);
  cli.terminal.out(cli.json ? jsonLine({ removed: path }) : `${cli.t("service.removed")}\n`);
  return EXIT.done;
};

/** Whether the service that is installed is for this state directory. */
export function isInstalled(cli: Cli): boolean {
  return readIfExists(unitPath(cli))?.toString("utf8").includes(homeWords(cli)) ?? false;
}

/** @throws RuntimeError `usage.wrong` with what systemd said. */
export async function startService(cli: Cli): Promise<void> {
  await systemctl(cli, ["start", UNIT]);
}

function unitPath({ environment: { env, userHome } }: Cli): string {
  const given = env["XDG_CONFIG_HOME"];
  return join(given === undefined || given === "" ? join(userHome, ".config") : given, "systemd/user", UNIT);
}

function homeWords({ places }: Cli): string {
  return ["--home", places.home].map(quoted).join(" ");
}

function unitText(cli: Cli): string {
  const program = realpathSync(process.argv[1] ?? "");
  const command = [...[process.execPath, program, "gateway", "--no-open"].map(quoted), homeWords(cli)].join(" ");
  return `[Unit]
Description=margay gateway
After=network-online.target

[Service]
Environment=${SUPERVISED}=1
ExecStart=${command}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=${NO_RESTART.join(" ")}
SuccessExitStatus=${EXIT.again}
RestartForceExitStatus=${EXIT.again}
TimeoutStopSec=30
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** @see systemd.service(5), "Command lines": quotes, specifiers and variables. */
function quoted(word: string): string {
  return `"${word.replaceAll(/[\\"]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
}

/** @throws RuntimeError `usage.wrong` where there is no systemd, or with what it said. */
async function systemctl({ environment: { env }, t, signal }: Cli, args: readonly string[]): Promise<void> {
  const child = spawn("systemctl", ["--user", ...args], { stdio: ["ignore", "ignore", "pipe"], env, signal });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  const failed = (reason: string): RuntimeError =>
    new RuntimeError("usage.wrong", t("service.failed", { command: `systemctl --user ${args.join(" ")}`, reason }));
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw failed(said.trim() === "" ? `exit ${code ?? "?"}` : said.trim());
  } catch (error) {
    if (error instanceof RuntimeError) throw error;
    throw failed(error instanceof Error ? error.message : "");
  }
}
