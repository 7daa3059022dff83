/** One waiting call on the page of approvals: the card of the chat, and the way there. */
import { t } from "../../../i18n/panels-safety.ts";
import { ApprovalCard } from "../../chat/approval-card.tsx";
import { ChatLink } from "../kit/go.tsx";
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
