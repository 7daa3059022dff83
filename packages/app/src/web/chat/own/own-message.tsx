/** What can be done with a message of one's own: copy it, edit it and ask again, go on before it or behind it in a copy. */
import { seqOf, type ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { navigate, openPanel } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { MenuButton, type MenuEntry } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import type { SessionDetail, SessionSummary } from "../../wire.ts";
import { Branches, familyOf } from "./branches.tsx";
import { copyAt } from "./edit-own.tsx";
import { editing, isEditable } from "./editing.ts";
import { t } from "./texts.ts";

type Own = ItemOf<"user">;

/** The chat stays as it is: what is asked again is asked in a copy. */
const FORK = "forkSession";

interface OwnProps {
  readonly item: Own;
  readonly chat: Chat;
}

export function OwnMessageActions({ item, chat }: OwnProps): VNode | null {
  const session = chat.id.value;
  if (session === undefined || item.state === "pending") return null; // the strip above the field has its buttons
  // What was imported is one commit: there is no place between its messages.
  const isWhole = item.origin.channel === "import";
  const edit = (): void => {
    editing.value = item.id;
  };
  const fork = (at: number): void =>
    void tell(copyAt(session, at).then((id) => navigate({ page: "chat", session: id })));
  const detail = chat.detail.value;
  return (
    <span class="own-actions">
      {detail && <Branches family={siblingsAt(detail, chat, item)} id={detail.id} label={t("branches")} />}
      <CopyButton label={t("copy")} text={() => textOf(item)} />
      {isEditable(item) && <Button kind="quiet" size="small" icon="edit" label={t("edit")} onClick={edit} />}
      {!isWhole && (
        <MenuButton
          kind="quiet"
          size="small"
          icon="more"
          label={t("actions")}
          entries={() => entriesOf(chat, item, { session, edit, fork })}
        />
      )}
    </span>
  );
}

interface Acts {
  readonly session: string;
  edit(): void;
  fork(at: number): void;
}

/** Asked when it opens: to look for the end of a turn in each row of a long chat is work for nothing. */
function entriesOf(chat: Chat, item: Own, { session, edit, fork }: Acts): readonly MenuEntry[] {
  const end = endOf(chat, item);
  return [
    ...(isEditable(item) ? [{ label: t("edit"), icon: "edit" as const, onSelect: edit }] : []),
    { label: t("fork.before"), icon: "branch", needs: FORK, onSelect: () => fork(seqOf(item) - 1) },
    ...(end === undefined
      ? []
      : [{ label: t("fork.here"), icon: "branch" as const, needs: FORK, onSelect: () => fork(end) }]),
    ...(item.turn === undefined
      ? []
      : [
          {
            label: t("explain"),
            icon: "info" as const,
            needs: "explainTurn",
            onSelect: () => openPanel(`explain/${session}/${item.turn ?? ""}`),
          },
        ]),
  ];
}

/** The commit that ended its turn: a copy that ends there has the answer too. */
function endOf(chat: Chat, { turn }: Own): number | undefined {
  const end = turn === undefined ? undefined : chat.drawn().find((one) => one.kind === "turn-end" && one.turn === turn);
  return end && seqOf(end);
}

/** Those that part at this message: the chat that was copied, and the copies that end before it. */
function siblingsAt(detail: SessionDetail, chat: Chat, item: Own): readonly SessionSummary[] {
  const family = familyOf(detail);
  if (family.length < 2) return family;
  const before = seqOf(item) - 1;
  const from = detail.forkedFrom;
  const isFirstOfCopy =
    from !== undefined && chat.drawn().find((one) => one.kind === "user" && seqOf(one) > from.seq)?.id === item.id;
  const root = isFirstOfCopy ? from.session : detail.id;
  const seq = isFirstOfCopy ? from.seq : before;
  return family.filter(({ id, forkedFrom }) => id === root || (forkedFrom?.session === root && forkedFrom.seq === seq));
}

function textOf({ parts }: Own): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}
