/** What the model answered: reasoning, text and calls in the order they happened; live and settled with the same nodes. */
import { callsOf, labelledFilesOf, type AssistantItemPart, type ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { may } from "../../auth.ts";
import { t } from "../../texts/chat.ts";
import { t as work } from "../../texts/work.ts";
import { navigate } from "../../lib/route.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import type { Chat } from "../../store/chat-state.ts";
import type { LiveCall, Overlay } from "../../store/overlay.ts";
import { isPractice } from "../../store/system.ts";
import { Button } from "../../ui/button.tsx";
import { wrote } from "../changes/wrote.ts";
import { KeptAsideNote } from "../changes/kept-aside.tsx";
import { PreparingCall, ToolCard } from "../calls/tool-card.tsx";
import { MediaView } from "./media.tsx";
import { Thinking } from "./thinking.tsx";
import type { Row } from "./rows.ts";
import { Lazy } from "../../shell/lazy.tsx";

type AnswerRow = Extract<Row, { kind: "assistant" | "live" }>;
export interface Place {
  readonly "aria-posinset": number;
  readonly "aria-setsize": number;
}

/** One component for what is being written and for what is settled: the nodes stay when one becomes the other. */
export function Answer({ row, chat, place }: { row: AnswerRow; chat: Chat; place: Place }): VNode {
  const item = row.kind === "assistant" ? row.item : undefined;
  const overlay = row.kind === "live" ? row.overlay : undefined;
  const parts = useMemo(() => (item ? settledParts(item) : overlay ? liveParts(overlay) : []), [item, overlay]);
  const names = ["item assistant", row.first && "first", item === undefined && "live"].filter(Boolean).join(" ");
  return (
    <article class={names} data-item={item?.id} tabIndex={-1} aria-label={t("item.answer")} {...place}>
      <div class="column item-body">
        <Parts parts={parts} chat={chat} />
        {item && <FallbackNote item={item} />}
        {item && <FinishNote item={item} />}
        {row.kind === "assistant" && row.end && wrote(chat, row.item.turn) && (
          <Lazy over load={fileCards} props={{ chat, turn: row.item.turn }} />
        )}
        {row.kind === "assistant" && row.end && <KeptAsideNote items={chat.drawn()} turn={row.item.turn} />}
        {row.kind === "assistant" && row.end && may("/trust") && <LabelledNote chat={chat} turn={row.item.turn} />}
        {row.kind === "assistant" && row.end && <PracticeNote item={row.item} />}
      </div>
      {row.kind === "assistant" && row.end && (
        <footer class="column item-foot">
          <Lazy after load={footer} props={{ chat, item: row.item, end: row.end }} />
        </footer>
      )}
    </article>
  );
}

const footer = async () => (await import("./answer-footer.tsx")).AnswerFooter;
const fileCards = async () => (await import("../../preview/file-cards.tsx")).FileCards;

/** Keys count by kind: a part has the same one while it is written and afterwards. */
type ShownPart =
  | { readonly key: string; readonly kind: "text"; readonly text: string; readonly live: boolean }
  | { readonly key: string; readonly kind: "thinking"; readonly text: string; readonly since: number | undefined }
  | { readonly key: string; readonly kind: "media"; readonly part: Extract<AssistantItemPart, { type: "media" }> }
  | { readonly key: string; readonly kind: "call"; readonly part: Extract<AssistantItemPart, { type: "call" }> }
  | { readonly key: string; readonly kind: "preparing"; readonly call: LiveCall };

function settledParts(item: ItemOf<"assistant">): readonly ShownPart[] {
  const counts = { text: 0, thinking: 0 };
  return item.parts.map((part): ShownPart => {
    if (part.type === "call") return { key: `call:${part.call.call}`, kind: "call", part };
    if (part.type === "media") return { key: part.blob.sha256, kind: "media", part };
    const key = `${part.type}:${String(counts[part.type]++)}`;
    return part.type === "text"
      ? { key, kind: "text", text: part.text, live: false }
      : { key, kind: "thinking", text: part.text, since: undefined };
  });
}

function liveParts({ parts, calls }: Overlay): readonly ShownPart[] {
  const counts = { text: 0, thinking: 0 };
  const last = parts.at(-1);
  const written = parts.map((part): ShownPart => {
    const key = `${part.kind}:${String(counts[part.kind]++)}`;
    const open = part === last && calls.length === 0;
    return part.kind === "text"
      ? { key, kind: "text", text: part.text, live: open }
      : { key, kind: "thinking", text: part.text, since: open ? part.since : undefined };
  });
  return [...written, ...calls.map((call): ShownPart => ({ key: `call:${call.call}`, kind: "preparing", call }))];
}

function Parts({ parts, chat }: { parts: readonly ShownPart[]; chat: Chat }): VNode {
  return (
    <>
      {parts.map((part) => {
        switch (part.kind) {
          case "text":
            return <Markdown key={part.key} text={part.text} live={part.live} />;
          case "thinking":
            return part.text.trim() === "" ? null : <Thinking key={part.key} text={part.text} since={part.since} />;
          case "call":
            return <ToolCard key={part.key} call={part.part.call} chat={chat} />;
          case "media":
            return <MediaView key={part.key} part={part.part} session={chat.id.value} />;
          case "preparing":
            return <PreparingCall key={part.key} call={part.call} />;
        }
      })}
    </>
  );
}

/** Another model answered in place of the one that was asked. */
function FallbackNote({ item: { asked, model } }: { item: ItemOf<"assistant"> }): VNode | null {
  if (asked === undefined) return null;
  const names = { asked: `${asked.provider}/${asked.model}`, model: `${model.provider}/${model.model}` };
  return <p class="finish-note">{t("turn.fallback", names)}</p>;
}

/** Files that became a stranger's in the turn: said once, at its end. */
function LabelledNote({ chat, turn }: { chat: Chat; turn: string | undefined }): VNode | null {
  let n = 0;
  for (const item of chat.drawn())
    if (item.kind === "assistant" && item.turn === turn)
      for (const { details } of callsOf(item)) n += labelledFilesOf(details);
  return n === 0 ? null : <p class="finish-note">{t("item.labelled", { n })}</p>;
}

/** A practice text says what would make it an answer. */
function PracticeNote({ item }: { item: ItemOf<"assistant"> }): VNode | null {
  if (item.model.provider !== "practice" || isPractice.value !== true) return null;
  return (
    <p class="practice-note">
      <Button size="small" icon="cpu" onClick={() => navigate({ page: "welcome" })}>
        {work("banner.practice.go")}
      </Button>
    </p>
  );
}

function FinishNote({ item }: { item: ItemOf<"assistant"> }): VNode | null {
  switch (item.finish) {
    case "length":
      return <p class="finish-note">{t("turn.cut")}</p>;
    case "refusal":
      return <p class="finish-note">{t("turn.refusal")}</p>;
    case "cut":
      return <p class="finish-note">{t("turn.broken")}</p>;
    case "stop":
    case "tool-calls":
    case "cancelled":
      return null;
  }
}
