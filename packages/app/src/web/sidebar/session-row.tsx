/** One chat in the list: state, title, time; its menu; the title as a field while it is renamed. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts/chat.ts";
import { fullTime, shortTime } from "../texts/format.ts";
import { addressOf, followLink } from "../lib/route.ts";
import { unmarked } from "../lib/unmarked.ts";
import { folderOf } from "../store/sessions.ts";
import { isUnread } from "../store/seen.ts";
import { Icon } from "../ui/icon.tsx";
import { MenuButton } from "../ui/menu.tsx";
import type { SessionSummary } from "../wire.ts";
import { drawerOpen, isPhone } from "../shell/layout.ts";
import { sessionMenu } from "./session-menu.ts";
import { file, shownFilter } from "./folders/folders.ts";
import { TitleField } from "./title-field.tsx";

interface RowProps {
  readonly summary: SessionSummary;
  readonly current: boolean;
  readonly branch: boolean;
}

export function SessionRow({ summary, current, branch }: RowProps): VNode {
  const [renaming, setField] = useState(false);
  const isKept = summary.source !== "temporary";
  const setRenaming = (on: boolean): void => setField(on && isKept);
  const title = summary.title === "" ? t("list.untitled") : summary.title;
  const unread = !current && isUnread(summary.id, summary.lastSeq);
  const names = ["session", current && "current", unread && "unread", branch && "branch"].filter(Boolean).join(" ");
  if (renaming)
    return (
      <div class={names}>
        <TitleField summary={summary} class="rename" onDone={() => setRenaming(false)} />
      </div>
    );
  return (
    <div class={names}>
      <a
        href={addressOf({ page: "chat", session: summary.id, item: undefined })}
        {...(current && { "aria-current": "page" })}
        onClick={(event) => {
          drawerOpen.value = false;
          followLink(event, { page: "chat", session: summary.id, ...(isPhone.value && { panel: undefined }) });
        }}
        onDblClick={() => setRenaming(true)}
        onKeyDown={(event) => {
          if (event.key !== "F2") return;
          event.preventDefault(); // else it acts on the open chat
          if (event.shiftKey) file(summary.id);
          else setRenaming(true);
        }}
      >
        {branch && <Icon name="branch" size={14} />}
        {!isKept && <Icon name="clock" size={14} />}
        <span class="title truncate" title={title} dir="auto">
          {title}
        </span>
        <time class="when" dateTime={new Date(summary.updatedAt).toISOString()} title={fullTime(summary.updatedAt)}>
          {shortTime(summary.updatedAt)}
        </time>
        <About summary={summary} />
        <StateDot summary={summary} unread={unread} />
      </a>
      <MenuButton
        kind="quiet"
        size="small"
        icon="more"
        label={t("session.menu", { title })}
        entries={() => sessionMenu(summary, () => setRenaming(true))}
      />
    </div>
  );
}

/**
 * What it needs; then where it lives and what was said last, as a picture of text: whoever looks for a sentence on the page
 * finds it where it was said, and once.
 */
function About({ summary }: { readonly summary: SessionSummary }): VNode {
  const word = summary.source === "temporary" ? (stateOf(summary) ?? "temporary") : stateOf(summary);
  const folder = folderOf(shownFilter.value) === undefined ? summary.folder : undefined; // else all are in it
  const rest = [folder ?? "", summary.source === "channel" ? summary.channel : "", unmarked(summary.preview)].filter(
    (part) => part !== "",
  );
  const said = rest.map((part, index) => (word !== undefined || index > 0 ? ` · ${part}` : part)).join("");
  return (
    <span class="about truncate" data-about={said}>
      {word !== undefined && <span>{t(`list.state.${word}`)}</span>}
    </span>
  );
}

function stateOf({ state, approvals }: SessionSummary): "waiting" | "running" | "failed" | undefined {
  if (state === "waiting" || approvals > 0) return "waiting";
  return state === "running" || state === "failed" ? state : undefined;
}

function StateDot({ summary, unread }: { summary: SessionSummary; unread: boolean }): VNode | null {
  const word = stateOf(summary);
  if (word === undefined && !unread) return null;
  const text = word === undefined ? t("list.unread") : t(`list.state.${word}`);
  const isSaid = word !== undefined; // in words beside it
  return (
    <span class={`state-dot ${word ?? ""}`} title={text}>
      {word === "waiting" && <Icon name="bell" size={15} />}
      {word === "running" && <span class="ring" />}
      {word === "failed" && <Icon name="alert" size={15} />}
      {word === undefined && <span class="unread-dot" />}
      {!isSaid && <span class="visually-hidden">{text}</span>}
    </span>
  );
}
