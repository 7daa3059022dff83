/** `margay mcp approve`: shows what a server says of itself, asks, and approves exactly that. */
import { type Effect } from "@margay/core";
import { ellipsis, type ServerReview, type TextChange, type ToolChange } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { askOwner } from "../../host/cli/confirm.ts";
import { knownServer } from "./command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { recordFromCommand } from "../../host/control/record-from-command.ts";

/** Of each text, unless `--full` is given: what is left out is said. */
const MAX_CHARS = 2_000;

/** `waits`: nothing was decided. */
export type Answered = "approved" | "refused" | "waits" | "changed";

export const approveServer: Run = async (cli, input) => {
  const loaded = cli.load();
  const name = knownServer(cli, loaded, input.args[0]);
  const review = await found(cli, input, name, loaded);
  if (review === undefined) {
    cli.terminal.out(
      cli.json ? jsonLine({ name, approved: true, tools: [] }) : `${cli.t("mcp.nothing", { name: safeText(name) })}\n`,
    );
    return EXIT.done;
  }
  return (await askAbout(cli, input, name, loaded, review)) === "approved" ? EXIT.done : EXIT.failed;
};

/** What waits, or what the server says when nothing is known of it, or of what the hash is. */
async function found(cli: Cli, input: Input, name: string, loaded: Loaded): Promise<ServerReview | undefined> {
  const { pinnedHash, waitingReview } = await import("./review.ts");
  const wanted = textOption(input, "approveHash");
  const known = pinnedHash(name, loaded);
  if (known !== undefined && (wanted === undefined || wanted === known)) return waitingReview(name, loaded);
  const { lookAtServer } = await import("./service.ts");
  return lookAtServer(name, loaded, cli.environment.env, cli.signal);
}

/** A yes is bound to what was shown; scripts name its hash. Each yes and each no is a record. */
export async function askAbout(
  cli: Cli,
  input: Input,
  name: string,
  loaded: Loaded,
  review: ServerReview,
): Promise<Answered> {
  const { t, terminal } = cli;
  const shownName = safeText(name);
  const wanted = textOption(input, "approveHash");
  if (cli.json && wanted === undefined) {
    // Who reads JSON is no person to be asked.
    terminal.out(jsonLine({ name, approved: false, ...review }));
    return "waits";
  }
  if (!cli.json) show(cli, shownName, review, input.options["full"] === true ? Infinity : MAX_CHARS);
  if (wanted !== undefined && wanted !== review.hash) {
    terminal.err(`${t("mcp.otherHash", { name: shownName, hash: review.hash })}\n`);
    return "changed";
  }
  if (wanted === undefined && !terminal.interactive) {
    terminal.err(`${t("mcp.notApproved", { name: shownName, hash: review.hash })}\n`);
    return "waits";
  }
  const { approvalRecord, approveServer: approve } = await import("./review.ts");
  const record = approvalRecord(name, review, "user");
  if (wanted === undefined && !(await askOwner(terminal, t("mcp.approveAsk"), cli.signal))) {
    await recordFromCommand(cli, "mcp.refused", record);
    terminal.err(`${t("mcp.refused", { name: shownName })}\n`);
    return "refused";
  }
  if ((await approve(name, loaded, review.hash)) === undefined) {
    terminal.err(`${t("mcp.changedAgain", { name: shownName })}\n`);
    return "changed";
  }
  await recordFromCommand(cli, "mcp.approved", record);
  terminal.out(cli.json ? jsonLine({ name, approved: true, ...review }) : `${t("mcp.approved")}\n`);
  return "approved";
}

function show({ t, terminal }: Cli, name: string, { hash, isFirst, tools, instructions }: ServerReview, most: number) {
  const cut = (text: string): string => {
    const shown = safeText(text);
    const kept = ellipsis(shown, most);
    const left = shown.length - kept.length;
    const whole = left <= 0 ? shown : `${kept} ${t("mcp.cut", { count: left + 1 })}`; // one of them is the mark
    return whole.replaceAll("\n", "\n    ");
  };
  terminal.out(`${t(isFirst ? "mcp.firstLook" : "mcp.otherLook", { name, hash })}\n`);
  if (instructions !== undefined) terminal.out(`${t("mcp.instructions")}\n${changeLines(instructions, t, cut)}`);
  for (const change of tools) terminal.out(toolLines(change, t, cut));
}

const KINDS = { added: "mcp.change.added", removed: "mcp.change.removed", changed: "mcp.change.changed" } as const;
const EFFECTS = { read: "mcp.effect.read", idempotent: "mcp.effect.idempotent", write: "mcp.effect.write" } as const;

function toolLines(change: ToolChange, t: Cli["t"], cut: (text: string) => string): string {
  const { tool, kind, effect, parameters, ...description } = change;
  const said = (one: Effect | undefined): string => (one === undefined ? "?" : t(EFFECTS[one]));
  const effects =
    effect === undefined
      ? ""
      : kind === "added"
        ? `  ${said(effect.after)}\n`
        : `  ${t("mcp.before")}: ${said(effect.before)}, ${t("mcp.after")}: ${said(effect.after)}\n`;
  const schema = parameters === undefined ? "" : `  ${t("mcp.parameters")}\n${changeLines(parameters, t, cut)}`;
  return `${safeText(tool)} (${t(KINDS[kind])})\n${changeLines(description, t, cut)}${effects}${schema}`;
}

/** A text that is new needs no words; of others both are shown, when they differ. */
function changeLines({ before, after }: TextChange, t: Cli["t"], cut: (text: string) => string): string {
  if (before === undefined) return after === undefined || after === "" ? "" : `    ${cut(after)}\n`;
  if (before === after) return "";
  const now = after === undefined ? "" : `  ${t("mcp.after")}: ${cut(after)}\n`;
  return `  ${t("mcp.before")}: ${cut(before)}\n${now}`;
}
