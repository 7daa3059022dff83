/** ‹ 2/3 › between a chat and its copies. */
import type { VNode } from "preact";
import { navigate } from "../../lib/route.ts";
import { summaries } from "../../store/sessions.ts";
import { t } from "../../texts/chat.ts";
import { number } from "../../texts/index.ts";
import { Button } from "../../ui/button.tsx";
import type { SessionDetail, SessionSummary } from "../../wire.ts";

interface BranchesProps {
  readonly family: readonly Pick<SessionSummary, "id">[];
  readonly id: string;
  readonly label: string;
}

/** Of the family, which of them this chat is, and the way to those beside it. */
export function Branches({ family, id, label }: BranchesProps): VNode | null {
  const all = family.map((one) => one.id);
  if (all.length < 2) return null;
  const at = all.indexOf(id);
  const go = (by: number): void => {
    const next = all[at + by];
    if (next !== undefined) navigate({ page: "chat", session: next });
  };
  return (
    <span class="branches" role="group" aria-label={label}>
      <Button
        kind="quiet"
        size="small"
        icon="chevronLeft"
        label={t("session.branch.previous")}
        disabled={at <= 0}
        onClick={() => go(-1)}
      />
      <span class="small muted">
        {number(at + 1)}/{number(all.length)}
      </span>
      <Button
        kind="quiet"
        size="small"
        icon="chevronRight"
        label={t("session.branch.next")}
        disabled={at >= all.length - 1}
        onClick={() => go(1)}
      />
    </span>
  );
}

/** The original first, then by the place where they leave it. */
export function familyOf(detail: SessionDetail): readonly SessionSummary[] {
  const known = summaries.value;
  const rootOf = (one: SessionSummary): SessionSummary => {
    const parent = one.forkedFrom && known.get(one.forkedFrom.session);
    return parent ? rootOf(parent) : one;
  };
  const root = rootOf(detail);
  const others = [...known.values()].filter((one) => one.id !== root.id && rootOf(one).id === root.id);
  if (detail.id !== root.id && !known.has(detail.id)) others.push(detail);
  others.sort((a, b) => (a.forkedFrom?.seq ?? 0) - (b.forkedFrom?.seq ?? 0) || (a.id < b.id ? -1 : 1));
  return [root, ...others];
}
