/** One tool call: what, with what, how far; its body opens while it runs, when it failed, and on a click. */
import type { CallView } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { duration } from "../../texts/format.ts";
import { t as approval } from "../../texts/approval.ts";
import { t } from "../../texts/work.ts";
import { useNow } from "../../lib/now.ts";
import { visible } from "../../markdown/visible-text.tsx";
import type { Chat } from "../../store/chat-state.ts";
import type { LiveCall } from "../../store/overlay.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { CallInput } from "./call-input.tsx";
import { CallResult, Terminal } from "./call-result.tsx";
import { KeptAside } from "../changes/kept-aside.tsx";
import { SubagentLine } from "../feed/subagent-line.tsx";

const STILL_AFTER_MS = 10_000;

const ICONS: Readonly<Record<string, IconName>> = {
  exec: "terminal",
  read_file: "file",
  write_file: "edit",
  edit_file: "edit",
  list_dir: "folder",
  search_files: "search",
  web_search: "globe",
  web_fetch: "globe",
  message: "chat",
  spawn: "branch",
  cron: "calendar",
  remember: "brain",
  recall: "brain",
  use_skill: "spark",
};

export function toolIcon(name: string): IconName {
  return ICONS[name] ?? (name.startsWith("mcp") ? "plug" : "tool");
}

export function ToolCard({ call, chat }: { call: CallView; chat: Chat }): VNode {
  const id = useId();
  const active = call.status === "running" || call.status === "asked";
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? (call.status === "running" || call.status === "error" || call.status === "interrupted");
  const output = chat.live.outputs.value.get(call.call);
  return (
    <div class={`call ${call.status}`}>
      <button type="button" class="call-head" aria-expanded={open} aria-controls={id} onClick={() => setChosen(!open)}>
        <Icon name={toolIcon(call.name)} size={16} />
        <span class="call-name">{call.name}</span>
        <span class="call-preview truncate grow">{visible(call.preview)}</span>
        {call.untrusted === true && <span class="badge warn">{t("call.untrusted")}</span>}
        {call.attempts > 1 && <span class="badge">{retriedOf(call)}</span>}
        <Clock call={call} />
        <Status call={call} />
        <Icon name={open ? "chevronDown" : "chevronRight"} size={14} />
      </button>
      {open && (
        <div class="call-body" id={id}>
          {call.status === "interrupted" && <p class="warn-ink">{t("call.interrupted.note")}</p>}
          {call.error && call.status !== "ok" && (
            <p class="danger-ink">
              {call.error.message} <code>{call.error.code}</code>
            </p>
          )}
          <CallInput call={call} />
          {active && output !== undefined && <Terminal text={output} label={t("call.output")} follow />}
          {call.result !== undefined && <CallResult call={call} />}
          <Decision call={call} />
        </div>
      )}
      {call.name === "spawn" && <SubagentLine call={call} />}
      <KeptAside call={call} />
      {!open && call.status === "denied" && call.approval !== undefined && (
        <div class="call-note">
          <Decision call={call} />
        </div>
      )}
    </div>
  );
}

/** The model is still writing the arguments. */
export function PreparingCall({ call }: { call: LiveCall }): VNode {
  return (
    <div class="call preparing">
      <div class="call-head">
        <Icon name={toolIcon(call.name)} size={16} />
        <span class="call-name">{call.name}</span>
        <span class="call-preview truncate grow">{visible(call.argsText.replaceAll(/\s+/g, " ").slice(-120))}</span>
        <span class="muted small">{t("call.preparing")}</span>
        <span class="ring" aria-hidden="true" />
      </div>
    </div>
  );
}

function Clock({ call }: { call: CallView }): VNode | null {
  const running = call.status === "running" && call.startedAt !== undefined;
  const now = useNow(running);
  const ms = running ? Math.max(0, now - (call.startedAt ?? now)) : call.ms;
  if (ms === undefined || (!running && ms < 50)) return null;
  return (
    <span class="call-clock muted small" aria-hidden={running}>
      {duration(running ? Math.floor(ms / 1000) * 1000 : ms)}
    </span>
  );
}

function Status({ call }: { call: CallView }): VNode {
  const { status, retryAt, startedAt } = call;
  const now = useNow(status === "running");
  const word =
    retryAt !== undefined
      ? t("call.retrying")
      : status === "running" && startedAt !== undefined && now - startedAt > STILL_AFTER_MS
        ? t("call.still")
        : t(`call.${status}`);
  const quiet = status === "ok";
  return (
    <span class={`call-status ${status}`} title={word}>
      {status === "running" ? <span class="ring" aria-hidden="true" /> : <Icon name={MARKS[status]} size={15} />}
      <span class={quiet ? "visually-hidden" : "small"}>{word}</span>
    </span>
  );
}

const MARKS: Readonly<Record<CallView["status"], IconName>> = {
  proposed: "clock",
  asked: "bell",
  allowed: "clock",
  running: "clock",
  ok: "check",
  error: "alert",
  denied: "close",
  interrupted: "alert",
  "not-run": "close",
};

/** Who or what decided, when somebody did. */
function Decision({ call }: { call: CallView }): VNode | null {
  const asked = call.approval;
  if (!asked) return null;
  const { resolved, expired } = asked;
  if (resolved === undefined && expired === undefined && call.status !== "asked") return null; // stopped before
  return (
    <p class="muted small">
      {resolved
        ? `${t(`approval.settled.${resolved.verdict}`, { by: whoOf(resolved.by) })}${keptOf(resolved.remember, asked.rule)}`
        : t(expired === true ? "approval.expired" : "call.asked")}
      {resolved?.reason !== undefined && `: ${resolved.reason}`} · {t("call.rule", { rule: asked.rule })}
    </p>
  );
}

/** "retried 2 of 3": how many attempts failed, of how many there could be. */
function retriedOf({ attempts, maxAttempts }: CallView): string {
  if (maxAttempts === undefined) return t("call.attempts", { n: attempts });
  return t("call.retried", { n: attempts - 1, max: maxAttempts });
}

function keptOf(remember: "session" | "always" | undefined, rule: string): string {
  if (remember === undefined) return "";
  return ` ${approval(rule === "readers" ? "kept.shared" : `kept.${remember}`)}`;
}

export function whoOf(by: string): string {
  return ["user", "operator", "owner", "web"].includes(by) ? t("approval.you") : by;
}
