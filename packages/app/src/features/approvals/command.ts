/** `margay approvals list|allow|deny`: also while another margay process works on the state directory. */
import { type Approval, type Json } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { performAtHolder } from "../../host/control/ask-holder.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import type { MailRequest, Remember } from "../../host/control/mailbox.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { approvalCode, listed, recordResolution, type Resolution } from "./resolve-approval.ts";

const ALLOWED = {
  once: "approvals.allowed",
  session: "approvals.allowedSession",
  always: "approvals.allowedAlways",
} as const;
/** A process that works answers within milliseconds. */
const PATIENCE_MS = 5000;

export const listApprovals: Run = async (cli) => {
  const pending = (await request(cli, { type: "approvals" })) as unknown as readonly Approval[]; // handleMail answers with agent.approvals()
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
  const remember: Remember | undefined = wanted === "session" || wanted === "always" ? wanted : undefined;
  const mail = { type: "resolve", verdict, code, ...(remember !== undefined && { remember }) } as const;
  const answer = (await request(cli, mail)) as {
    readonly resolution: Resolution;
    readonly name: string;
  }; // handleMail answers with resolveApproval()
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

function request(cli: Cli, mail: Extract<MailRequest, { type: "approvals" | "resolve" }>): Promise<Json> {
  return performAtHolder(cli, mail, PATIENCE_MS, async ({ agent, inside }): Promise<Json> => {
    if (mail.type === "approvals") return listed(await agent.approvals());
    // Recorded, not run: this command is no place for a turn. The next start goes on with it.
    const result = await recordResolution(mail, agent, (grant) => inside.savedRules.save(grant, "user"));
    if (result.resolution === "done" && !cli.json) cli.terminal.err(`${cli.t("approvals.nextStart")}\n`);
    return result;
  });
}
