/** One waiting call on the page of approvals: the card of the chat, and the way there. */
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../../web/texts/panels-safety.ts";
import { ApprovalCard } from "../../../web/chat/calls/approval-card.tsx";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import type { Approval } from "./types.ts";

export function PendingCard({
  approval,
  isAsked,
  reload,
}: {
  readonly approval: Approval;
  /** Somebody came for this one: it has the focus, and is read out. */
  readonly isAsked: boolean;
  readonly reload: () => Promise<void>;
}) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isAsked) item.current?.focus();
  }, [isAsked]);
  return (
    <li ref={item} data-call={approval.call} {...(isAsked && { tabIndex: -1 })}>
      <ApprovalCard approval={approval} onSettled={() => void reload()} />
      <ChatLink session={approval.session}>{t("toChat")}</ChatLink>
    </li>
  );
}
