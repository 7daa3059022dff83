/** Where a call would run, why it asks and what could go wrong, in words. */
import type { VNode } from "preact";
import { known, t } from "../../texts/approval.ts";
import { t as work } from "../../texts/work.ts";
import { visible } from "../../markdown/visible-text.tsx";
import { Icon } from "../../ui/icon.tsx";

/** What is shown of a question; the chat folds it itself, the page of approvals reads it. */
export interface AskedCall {
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly display: string;
  readonly hash: string;
  readonly rule: string;
  readonly why: string;
  readonly risk: readonly string[];
  readonly cwd?: string | undefined;
  /** Whose word it needs, where that is not the owner's. */
  readonly of?: string | undefined;
  readonly choices: readonly ("once" | "session" | "always")[];
  readonly rulePreview?: string | undefined;
  readonly expiresAt: number;
  readonly late?: true | undefined;
}

export function ApprovalFacts({ approval }: { approval: AskedCall }): VNode {
  const { cwd, rule, why, risk } = approval;
  return (
    <div class="approval-facts small">
      {cwd !== undefined && (
        <p>
          <span class="muted">{t("folder")}: </span>
          <code>{visible(cwd)}</code>
        </p>
      )}
      {why !== "" && (
        <p>
          <span class="muted">{work("approval.why")}: </span>
          {known("why", rule) ?? visible(why)}
        </p>
      )}
      {risk.length > 0 && (
        <ul aria-label={t("risk.title")}>
          {risk.map((each) => (
            <li key={each}>
              <Icon name="alert" size={14} />
              {known("risk", each) ?? visible(each)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
