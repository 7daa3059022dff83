/** What can be done with a message of one's own: copy it, edit it and ask again, go on before it. The chat stays as it is. */
import { seqOf, type ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { t } from "../../texts/chat.ts";
import { navigate, openPanel } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { chatOf, putSummary } from "../../store/sessions.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { MenuButton } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import type { OutgoingPart, SessionDetail } from "../../wire.ts";
import { Lazy } from "../../shell/lazy.tsx";
import { apiPath } from "./user-text.tsx";

type Own = ItemOf<"user">;

/** The chat stays as it is: what is asked again is asked in a copy. */
const FORK = "forkSession";

interface OwnProps {
  readonly item: Own;
  readonly chat: Chat;
  /** Written by somebody else, or by a program: it is theirs to say. */
  readonly foreign: boolean;
}

export function OwnMessageActions({ item, chat, foreign }: OwnProps): VNode | null {
  const [editing, setEditing] = useState<string>();
  const session = chat.id.value;
  if (session === undefined || item.state === "pending") return null; // the strip above the field has its buttons
  // What was imported is one commit: there is no place between its messages.
  const isWhole = item.origin.channel === "import";
  const edit = async (): Promise<void> => setEditing(await wholeText(item));
  return (
    <span class="own-actions">
      <CopyButton label={t("item.copy.own")} text={() => textOf(item)} />
      {!foreign && !isWhole && (
        <Button
          kind="quiet"
          size="small"
          icon="edit"
          needs={FORK}
          label={t("item.edit")}
          onClick={() => void tell(edit())}
        />
      )}
      {!isWhole && (
        <MenuButton
          kind="quiet"
          size="small"
          icon="more"
          label={t("item.actions")}
          entries={() => [
            ...(foreign
              ? []
              : [{ label: t("item.edit"), icon: "edit" as const, needs: FORK, onSelect: () => void tell(edit()) }]),
            {
              label: t("item.fork.before"),
              icon: "branch",
              needs: FORK,
              onSelect: () =>
                void tell(copyBefore(session, item).then((id) => navigate({ page: "chat", session: id }))),
            },
            ...(item.turn === undefined
              ? []
              : [
                  {
                    label: t("item.explain"),
                    icon: "info" as const,
                    needs: "explainTurn",
                    onSelect: () => openPanel(`explain/${session}/${item.turn ?? ""}`),
                  },
                ]),
          ]}
        />
      )}
      {editing !== undefined && (
        <Lazy
          over
          load={async () => (await import("./edit-dialog.tsx")).EditDialog}
          props={{
            text: editing,
            onClose: () => setEditing(undefined),
            onSend: async (text) => {
              const id = await copyBefore(session, item);
              chatOf(id).send([...mediaOf(item), { type: "text", text }]);
              setEditing(undefined);
              navigate({ page: "chat", session: id });
            },
          }}
        />
      )}
    </span>
  );
}

/** Ends with the commit before the message. @returns its id. */
async function copyBefore(session: string, item: Own): Promise<string> {
  const { body } = await api.post<SessionDetail>(`/sessions/${session}/fork`, { at: seqOf(item) - 1 });
  putSummary(body);
  return body.id;
}

function textOf({ parts }: Own): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

/** A long one is shown in part: what is asked again is all of it. */
async function wholeText(item: Own): Promise<string> {
  const texts = await Promise.all(
    item.parts.map(async (part) => {
      if (part.type !== "text") return undefined;
      if (part.cut === undefined) return part.text;
      const { body } = await api.get<{ parts?: readonly { text?: string }[] }>(apiPath(part.cut.href));
      return (body.parts ?? []).map(({ text }) => text ?? "").join("");
    }),
  );
  return texts.filter((text) => text !== undefined).join("\n\n");
}

function mediaOf({ parts }: Own): readonly OutgoingPart[] {
  return parts.flatMap((part): readonly OutgoingPart[] =>
    part.type === "text"
      ? []
      : [{ type: "media", blob: part.blob, mediaType: part.mediaType, name: part.name ?? part.mediaType }],
  );
}
