/** `margay approvals list|allow|deny`: also while another margay process works on the state directory. */
import type { Approval } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { callerOf } from "../../host/control/call.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import type { APPROVAL_OPERATIONS } from "./resolve-approval.ts";

const ALLOWED = {
  once: "approvals.allowed",
  session: "approvals.allowedSession",
  always: "approvals.allowedAlways",
} as const;
const call = callerOf<typeof APPROVAL_OPERATIONS>();

export const listApprovals: Run = async (cli) => {
  const pending = await call(cli, "approvals.list", {});
  if (cli.json) cli.terminal.out(jsonLine(pending.map((approval) => ({ code: approvalCode(approval), ...approval }))));
  else if (pending.length === 0) cli.terminal.out(`${cli.t("approvals.none")}\n`);
  else {
    const now = systemClock().now();
    for (const approval of pending) {
      const seconds = Math.max(0, Math.round((approval.expiresAt - now) / 1000));
      cli.terminal.out(
        `${approvalCode(approval)} ${safeText(approval.sessionKey)} ${safeText(approval.name)} (${cli.t("approvals.expires", { seconds })})\n${safeText(approval.prompt).replaceAll(/^/gm, "  ")}\n${covered(cli, approval)}`,
      );
    }
  }
  return EXIT.done;
};

/** What `--remember` would let run without asking. */
function covered(cli: Cli, { grant, choices }: Approval): string {
  if (grant === undefined) return "";
  const values = choices.filter((choice) => choice !== "once").join("|");
  return `  ${cli.t("approvals.remember", { values })}\n${safeText(grant.shown).replaceAll(/^/gm, "    ")}\n`;
}

export const allowApproval: Run = (cli, input) => decide(cli, input, "allow");

export const denyApproval: Run = (cli, input) => decide(cli, input, "deny");

async function decide(cli: Cli, input: Input, verdict: "allow" | "deny"): Promise<number> {
  const code = input.args[0] ?? "";
  const wanted = textOption(input, "remember");
  const remember = wanted === "session" || wanted === "always" ? wanted : undefined;
  const words = textOption(input, "words");
  const { later, ...answer } = await call(cli, "approvals.resolve", {
    verdict,
    code,
    ...(words !== undefined && words.trim() !== "" && { words }),
    ...(remember !== undefined && { remember }),
  });
  if (later && !cli.json) cli.terminal.err(`${cli.t("approvals.nextStart")}\n`);
  const name = safeText(answer.name);
  if (cli.json) cli.terminal.out(jsonLine({ code, verdict, ...answer }));
  switch (answer.resolution) {
    case "done":
      if (!cli.json)
        cli.terminal.out(`${cli.t(verdict === "deny" ? "approvals.denied" : ALLOWED[remember ?? "once"], { name })}\n`);
      return EXIT.done;
    case "late":
      if (!cli.json) cli.terminal.err(`${cli.t("approvals.late", { name })}\n`);
      return EXIT.failed;
    case "only-once":
      if (!cli.json) cli.terminal.err(`${cli.t("approvals.onlyOnce", { name })}\n`);
      return EXIT.failed;
    case "unknown":
    case "ambiguous":
      if (!cli.json) cli.terminal.err(`${cli.t("approvals.unknown", { code: safeText(code), hint: "" })}\n`);
      return EXIT.failed;
  }
}

/** What people type: short, and different for each call. */
function approvalCode(approval: Pick<Approval, "hash">): string {
  return approval.hash.slice(0, 8);
}
