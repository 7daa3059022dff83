/** One waiting call on the page of approvals: the card of the chat, and the way there. */
import { t } from "../../../web/texts/panels-safety.ts";
import { ApprovalCard } from "../../../web/chat/calls/approval-card.tsx";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import type { Approval } from "./types.ts";

export function PendingCard({
  approval,
  reload,
}: {
  readonly approval: Approval;
  readonly reload: () => Promise<void>;
}) {
  return (
    <li data-call={approval.call}>
      <ApprovalCard approval={approval} onSettled={() => void reload()} />
      <ChatLink session={approval.session}>{t("toChat")}</ChatLink>
    </li>
  );
}
