/** `margay trust [PATH…]`: shows files that count as strangers' text, and vouches for what was shown and nothing else. */
import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { RuntimeError } from "@margay/core";
import { type EndorsedFile, type LabelledFile } from "@margay/core/internal";
import { callerOf } from "../../host/control/call.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { confirmed } from "../../host/cli/confirm.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { timeText } from "../../host/cli/values.ts";
import type { TRUST_OPERATIONS } from "./actions.ts";

const call = callerOf<typeof TRUST_OPERATIONS>();

export const runTrust: Run = async (cli, input) => {
  const paths = input.args.map((typed) => inWorkspace(cli, typed));
  const files = await call(cli, "trust.list", { paths });
  if (input.options["stranger"] === true) return await disown(cli, files);
  if (cli.json && (files.length === 0 || input.options["yes"] !== true)) {
    // Who reads JSON is no person to be asked.
    cli.terminal.out(jsonLine(files));
    return EXIT.done;
  }
  if (!cli.json) showFiles(cli, files, paths);
  if (files.length === 0) return EXIT.done;
  if (!(await confirmed(cli, input, cli.t("trust.confirm", { count: files.length })))) {
    cli.terminal.err(`${cli.t("trust.kept")}\n`);
    return EXIT.failed;
  }
  const shown = files.map(({ path, sha256 }) => ({ path, sha256 }));
  const done = await call(cli, "trust.endorse", { shown });
  if (cli.json) cli.terminal.out(jsonLine(done));
  else showDone(cli, done);
  return done.every(({ status }) => status === "endorsed") ? EXIT.done : EXIT.failed;
};

/** Not trusted anew, so nobody is asked. */
async function disown(cli: Cli, files: readonly LabelledFile[]): Promise<number> {
  const paths = files.flatMap(({ path, origin }) => (origin === undefined ? [] : [path]));
  if (paths.length === 0) {
    cli.terminal.err(`${cli.t("trust.nobodyAsked")}\n`);
    return EXIT.failed;
  }
  const done = await call(cli, "trust.disown", { paths });
  if (cli.json) cli.terminal.out(jsonLine(done));
  else for (const { path } of done) cli.terminal.out(`${cli.t("trust.disowned", { path: safeText(path) })}\n`);
  return EXIT.done;
}

/**
 * People type what they see: a path from where they are, an absolute one, or one of the list, which is the workspace's.
 * @returns relative to the workspace.
 */
function inWorkspace(cli: Cli, typed: string): string {
  const { workspace } = cli.loadShown();
  const root = real(workspace) ?? workspace;
  const found = [cli.environment.currentDirectory, root].flatMap((base) => real(resolve(base, typed)) ?? []);
  // Of what is not there the list says so.
  const candidates = found.length > 0 ? found : [resolve(root, typed)];
  const path = candidates.map((one) => relative(root, one)).find(isInside);
  if (path === undefined)
    throw new RuntimeError("usage.wrong", cli.t("trust.outside", { path: safeText(typed), workspace }));
  return path === "" ? "." : path.split(sep).join("/");
}

function isInside(path: string): boolean {
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // nothing is there
  }
}

function showFiles(cli: Cli, files: readonly LabelledFile[], wanted: readonly string[]): void {
  const { t, terminal } = cli;
  if (files.length === 0) {
    terminal.out(`${t(wanted.length === 0 ? "trust.none" : "trust.noneThere")}\n`);
    return;
  }
  terminal.out(`${t("trust.head")}\n`);
  terminal.out(
    table(
      files.map(({ path, bytes, at, cause = "", origin }) => [
        `  ${safeText(path)}`,
        bytes === undefined ? t("trust.directory") : t("trust.bytes", { count: bytes }),
        at === undefined ? "" : timeText(at),
        origin === undefined ? safeText(cause) : t("trust.origin", { origin: safeText(origin) }),
      ]),
    ),
  );
}

function showDone(cli: Cli, done: readonly EndorsedFile[]): void {
  for (const { path, status } of done)
    if (status !== "endorsed") {
      const key = status === "changed" ? "trust.changed" : "trust.unknown";
      cli.terminal.err(`${cli.t(key, { path: safeText(path) })}\n`);
    }
  const count = done.filter(({ status }) => status === "endorsed").length;
  cli.terminal.out(`${cli.t("trust.done", { count })}\n`);
}
