/** What waits for a person's yes: the exact call, why it asks, how long; buttons that can't be hit by accident. */
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { api, ApiProblem } from "../../api.ts";
import { person } from "../../auth.ts";
import { t as chat } from "../../texts/chat.ts";
import { duration } from "../../texts/format.ts";
import { askedQuestion } from "../../../protocol/asked-question.ts";
import { t as own } from "../../texts/approval.ts";
import { t } from "../../texts/work.ts";
import { announce } from "../../lib/announce.ts";
import { isTyping } from "../../lib/keys.ts";
import { useNow } from "../../lib/now.ts";
import { openPanel } from "../../lib/route.ts";
import { visible } from "../../markdown/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { problemFrom } from "../../ui/problem.tsx";
import { ApprovalFacts, type AskedCall } from "./approval-facts.tsx";
import { toolIcon } from "./tool-card.tsx";

/** A click or key that was meant for something else comes sooner. */
const GUARD_MS = 500;
const WARN_LEFT_MS = 60_000;

type Remember = "once" | "session" | "always";

/** What an answer that came too late or for another call is told. */
const REFUSED = {
  "approval.stale": () => t("approval.changed"),
  "approval.settled": () => own("elsewhere"),
  "approval.expired": () => own("late"),
} as const;

export interface ApprovalCardProps {
  readonly approval: AskedCall;
  /** The chat it belongs to, where that is not plain to see. */
  readonly title?: string;
  readonly onSettled?: () => void;
}

export function ApprovalCard({ approval, title, onSettled }: ApprovalCardProps): VNode {
  const { tool, rule, expiresAt, late } = approval;
  const heading = useId();
  const left = expiresAt - useNow();
  const answering = useAnswer(approval, left, onSettled);
  const isTheirs = person.value === undefined || person.value.operator === true || person.value.id === approval.of;
  const { settle, canOpen, reason, setReason, fault, keeping } = answering;
  return (
    <section
      class="approval"
      aria-labelledby={heading}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (!isTheirs || event.repeat || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey)
          return;
        if (event.key.toLowerCase() === "y") void settle("allow");
        else if (event.key.toLowerCase() === "n") setReason(reason ?? "");
        else if (event.key === "Enter" && canOpen && event.target === event.currentTarget) openPanel("approvals");
        else return;
        event.preventDefault();
      }}
    >
      <div class="approval-head">
        <Icon name={toolIcon(tool)} />
        <h3 id={heading} class="grow">
          {own(askedQuestion(tool, rule), { tool })}
          {title !== undefined && <span class="muted"> · {title}</span>}
        </h3>
        <span class={left < WARN_LEFT_MS ? "small warn-ink" : "small muted"}>
          {left > 0 ? t("approval.left", { time: duration(Math.floor(left / 1000) * 1000) }) : t("approval.expired")}
        </span>
      </div>
      <pre class="approval-call" role="region" aria-label={t("approval.exact")} tabIndex={0}>
        {visible(callAlone(approval))}
      </pre>
      <ApprovalFacts approval={approval} />
      {fault !== undefined && (
        <p class="danger-ink small" role="alert">
          {fault}
        </p>
      )}
      {late === true && left > 0 && <p class="small">{own("went-on")}</p>}
      {left <= 0 && fault === undefined && <p class="small">{own("late")}</p>}
      {reason !== undefined && <Reason reason={reason} answering={answering} />}
      {!isTheirs ? (
        <p class="small muted">{own("of-owner")}</p>
      ) : keeping ? (
        <KeptRule approval={approval} answering={answering} />
      ) : (
        <Choices approval={approval} answering={answering} />
      )}
    </section>
  );
}

interface Answering {
  /** Nothing can be answered now: not seen long enough, too late, or refused. */
  readonly closed: boolean;
  /** The call was on screen long enough. */
  readonly canOpen: boolean;
  readonly busy: "deny" | Remember | undefined;
  /** The rule is shown that a yes for always would save. */
  readonly keeping: boolean;
  readonly reason: string | undefined;
  readonly fault: string | undefined;
  readonly settle: (verdict: "allow" | "deny", remember?: Remember) => Promise<void>;
  readonly setKeeping: (keeping: boolean) => void;
  readonly setReason: (reason: string | undefined) => void;
}

function useAnswer(approval: AskedCall, left: number, onSettled: (() => void) | undefined): Answering {
  const { tool, hash, session, call } = approval;
  const [shown, setShown] = useState<string>(); // the hash that was on screen long enough to be answered
  const [busy, setBusy] = useState<"deny" | Remember>();
  const [keeping, setKeeping] = useState(false);
  const [refused, setRefused] = useState<string>(); // the hash no answer is taken for any more
  const [reason, setReason] = useState<string>();
  const [fault, setFault] = useState<string>();
  const warned = useRef(false);
  useEffect(() => {
    setShown(undefined);
    setRefused(undefined); // a call may become again what it was
    setBusy(undefined); // a running call asks more than once
    setKeeping(false);
    const timer = setTimeout(() => setShown(hash), GUARD_MS);
    return () => clearTimeout(timer);
  }, [hash]);
  useEffect(() => {
    if (left > WARN_LEFT_MS || left <= 0 || warned.current) return;
    warned.current = true;
    announce(chat("say.expires", { tool }), "assertive");
  }, [left <= WARN_LEFT_MS]);

  const closed = shown !== hash || left <= 0 || refused === hash;
  const settle = async (verdict: "allow" | "deny", remember: Remember = "once"): Promise<void> => {
    if (closed || busy !== undefined) return;
    setBusy(verdict === "deny" ? "deny" : remember);
    setFault(undefined);
    try {
      const words = reason?.trim() ?? "";
      const more = verdict === "allow" ? { remember } : words === "" ? {} : { reason: words };
      const body = { verdict, hash, ...more };
      await api.post(`/sessions/${session}/approvals/${call}`, body);
      onSettled?.();
    } catch (error) {
      const code = error instanceof ApiProblem ? error.code : "";
      setFault(code in REFUSED ? REFUSED[code as keyof typeof REFUSED]() : problemFrom(error).detail); // just looked at
      setBusy(undefined);
      setKeeping(false);
      if (!(code in REFUSED)) return;
      setRefused(hash);
      onSettled?.();
    }
  };
  return { closed, canOpen: shown === hash, busy, keeping, reason, fault, settle, setKeeping, setReason };
}

function Reason({ reason, answering }: { readonly reason: string; readonly answering: Answering }): VNode {
  const { settle, setReason } = answering;
  return (
    <input
      class="input"
      aria-label={t("approval.reason")}
      placeholder={t("approval.reason")}
      autofocus
      maxLength={1000}
      value={reason}
      ref={(input) => {
        if (input && !input.dataset["seen"]) {
          input.dataset["seen"] = "1";
          input.focus();
        }
      }}
      onInput={(event) => setReason(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") void settle("deny");
        else if (event.key === "Escape") setReason(undefined);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}

interface AnswerProps {
  readonly approval: AskedCall;
  readonly answering: Answering;
}

/** The rule as it would be saved, before it is. */
function KeptRule({ approval: { rulePreview, rule }, answering }: AnswerProps): VNode {
  const { closed, busy, settle, setKeeping } = answering;
  const isShare = rule === "readers"; // what somebody else would be told
  const title = own(isShare ? "always.shares-title" : "always.title");
  return (
    <div class="approval-rule">
      <strong>{title}</strong>
      <pre class="approval-call" role="region" aria-label={title} tabIndex={0}>
        {visible(rulePreview ?? "")}
      </pre>
      <p class="small muted">{own(isShare ? "always.shares" : rule === "network" ? "always.network" : "always.why")}</p>
      <div class="approval-actions">
        <Button kind="quiet" disabled={busy !== undefined} onClick={() => setKeeping(false)}>
          {own("back")}
        </Button>
        <span class="grow" />
        <Button
          kind="primary"
          disabled={closed}
          busy={busy === "always"}
          onKeyDown={notHeld}
          onClick={() => void settle("allow", "always")}
        >
          {own("always.save")}
        </Button>
      </div>
    </div>
  );
}

function Choices({ approval: { choices }, answering }: AnswerProps): VNode {
  const { closed, busy, reason, settle, setKeeping, setReason } = answering;
  return (
    <div class="approval-actions">
      <Button disabled={closed} busy={busy === "deny"} onKeyDown={notHeld} onClick={() => void settle("deny")}>
        {t("approval.deny")}
      </Button>
      {reason === undefined && (
        <Button kind="quiet" disabled={closed} onKeyDown={notHeld} onClick={() => setReason("")}>
          {t("approval.deny-why")}
        </Button>
      )}
      <span class="grow" />
      {choices.includes("always") && person.value === undefined && (
        <Button kind="quiet" disabled={closed} onKeyDown={notHeld} onClick={() => setKeeping(true)}>
          {own("always")}
        </Button>
      )}
      {choices.includes("session") && (
        <Button
          disabled={closed}
          busy={busy === "session"}
          title={own("session.hint")}
          onKeyDown={notHeld}
          onClick={() => void settle("allow", "session")}
        >
          {own("session")}
        </Button>
      )}
      <Button
        kind="primary"
        disabled={closed}
        busy={busy === "once"}
        onKeyDown={notHeld}
        onClick={() => void settle("allow")}
      >
        {t("approval.allow")}
      </Button>
    </div>
  );
}

/** The heading says which tool it is. */
function callAlone({ tool, display }: AskedCall): string {
  return display.startsWith(`${tool}: `) ? display.slice(tool.length + 2) : display;
}

/** A held key decides nothing. */
function notHeld(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault();
}
