/** Below the question of a new chat: what waits for you, what ran since, what comes; then what one could ask. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Home as HomeView } from "../../features/home/schema.ts";
import { api } from "../api.ts";
import { may } from "../auth.ts";
import { ChatLink, PanelLink } from "../panel-kit/go.tsx";
import { relative } from "../panel-kit/format.ts";
import { openPanel } from "../lib/route.ts";
import { approvalsWaiting } from "../store/sessions.ts";
import { t as chatText } from "../texts/chat.ts";
import { clockTime, fullTime, money, shortTime } from "../texts/format.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Skeleton } from "../ui/states.tsx";
import { lastVisit } from "./last-visit.ts";
import { Suggestions } from "./suggestions.tsx";
import { t } from "./texts.ts";
import "./home.css";

type Read = { readonly view?: HomeView; readonly failed?: true };
type Part<Name extends keyof HomeView> = NonNullable<HomeView[Name]>;

/** It was read, and there is none. */
const NOTHING = "nothing";

export function Home(): VNode {
  const [{ view, failed }, setRead] = useState<Read>(may("getHome") ? {} : { failed: true });
  const load = (): void => {
    if (!may("getHome")) return;
    api.get<HomeView>("/home", { query: { since: lastVisit() } }).then(
      ({ body }) => {
        setRead({ view: body });
        if (body.health === undefined) void look();
      },
      () => setRead((before) => ({ ...before, failed: true })),
    );
  };
  /** The doctor looks at this visit: its line says what it finds now. */
  const look = async (): Promise<void> => {
    const health = await api.get<Pick<HomeView, "health">>("/home/health").then(
      ({ body }) => body.health ?? null,
      () => null, // its line says that it could not be read
    );
    setRead((before) => (before.view === undefined ? before : { ...before, view: { ...before.view, health } }));
  };
  useEffect(load, [approvalsWaiting.value]);
  if (view === undefined && failed !== true)
    return (
      <div class="home-lines loading">
        <Skeleton lines={3} />
      </div>
    );
  const isNew = view === undefined || view.isNew;
  return (
    <>
      {isNew && <p class="muted">{chatText("feed.hello.hint")}</p>}
      {view !== undefined && !isNew && <Lines view={view} again={load} />}
      <Suggestions view={view} />
      {isNew && <Promises view={view} />}
    </>
  );
}

function Lines({ view, again }: { readonly view: HomeView; readonly again: () => void }): VNode {
  const { waits, ran, next, spent, health } = view;
  const hasWaiting = waits === null || waits.questions + waits.deliveries > 0;
  return (
    <section class="home-lines" aria-label={t("title")}>
      {hasWaiting && (
        <Line icon="bell" class="waits" title={t("waits.title")} part={waits} again={again}>
          {(part) => <Waits waits={part} />}
        </Line>
      )}
      <Line icon="check" title={t("ran.title", { time: shortTime(lastVisit()) })} part={ran} again={again}>
        {(part) => <Ran ran={part} />}
      </Line>
      <div class="home-three">
        <Line icon="clock" title={t("next.title")} part={next === undefined ? NOTHING : next} again={again}>
          {(part) =>
            typeof part !== "string" ? (
              <span>
                <PanelLink to={`cron/${part.job}`}>{part.name}</PanelLink>{" "}
                <time class="muted" dateTime={new Date(part.at).toISOString()} title={fullTime(part.at)}>
                  {clockTime(part.at)} · {relative(part.at)}
                </time>
              </span>
            ) : (
              <PanelLink to="cron">{t("next.none")}</PanelLink>
            )
          }
        </Line>
        <Line icon="chart" title={t("spent.title")} part={spent} again={again}>
          {(part) => <Spent spent={part} />}
        </Line>
        <Line icon="heart" title={t("health.title")} part={health === undefined ? NOTHING : health} again={again}>
          {(part) =>
            typeof part !== "string" ? <Health health={part} /> : <span class="muted">{t("health.looking")}</span>
          }
        </Line>
      </div>
    </section>
  );
}

interface LineProps<Value> {
  readonly icon: IconName;
  readonly title: string;
  readonly class?: string;
  /** Null: it could not be read, and this line alone says so. */
  readonly part: Value | null;
  readonly again: () => void;
  readonly children: (part: Value) => ComponentChildren;
}

function Line<Value>({ icon, title, class: name = "", part, again, children }: LineProps<Value>): VNode {
  return (
    <div class={`home-line ${name}`}>
      <Icon name={icon} />
      <span class="home-title">{title}</span>
      <span class="home-what">
        {part === null ? (
          <>
            <span class="danger-text">{t("part.unread")}</span>
            <Button size="small" onClick={again}>
              {t("part.again")}
            </Button>
          </>
        ) : (
          children(part)
        )}
      </span>
    </div>
  );
}

/** The only dark button in sight: what waits for the person comes first. */
function Waits({ waits }: { readonly waits: Part<"waits"> }): VNode {
  const { questions, asking, deliveries, channels } = waits;
  return (
    <>
      <span class="home-list">
        {questions > 0 && (
          <span>
            <strong>{t("waits.questions", { n: questions })}</strong>{" "}
            {asking.map(({ session, title }) => (
              <ChatLink key={session} session={session}>
                {title === "" ? chatText("list.untitled") : title}
              </ChatLink>
            ))}
          </span>
        )}
        {deliveries > 0 && (
          <span>
            <PanelLink to="channels/~outbox">{t("waits.deliveries", { n: deliveries })}</PanelLink>{" "}
            <span class="muted">{channels.join(", ")}</span>
          </span>
        )}
      </span>
      <Button kind="primary" onClick={() => openPanel(questions > 0 ? "approvals" : "channels/~outbox")}>
        {t("waits.look")}
      </Button>
    </>
  );
}

function Ran({ ran }: { readonly ran: Part<"ran"> }): VNode {
  if (ran.total === 0) return <span class="muted">{t("ran.none")}</span>;
  return (
    <>
      <span class="home-list">
        {ran.items.map(({ job, name, at, ok, ended, session }) => (
          <span key={job} class={ok ? "" : "failed"}>
            {!ok && <Icon name="alert" size={15} />}
            <RanLink job={job} session={ended === true ? session : undefined}>
              {ok ? name : t("ran.failed", { name })}
            </RanLink>{" "}
            <time class="muted" dateTime={new Date(at).toISOString()} title={fullTime(at)}>
              {shortTime(at)}
            </time>
          </span>
        ))}
      </span>
      {ran.total > ran.items.length && <PanelLink to="cron">{t("ran.all", { n: ran.total })}</PanelLink>}
    </>
  );
}

interface RanLinkProps {
  readonly job: string;
  /** Of a job that has no page any more. */
  readonly session: string | undefined;
  readonly children: string;
}

function RanLink({ job, session, children }: RanLinkProps): VNode {
  if (session !== undefined) return <ChatLink session={session}>{children}</ChatLink>;
  return <PanelLink to={`cron/${job}`}>{children}</PanelLink>;
}

function Spent({ spent: { costUsd, dayUsd } }: { readonly spent: Part<"spent"> }): VNode {
  const paid = costUsd === null ? t("spent.unpriced") : money(costUsd);
  return (
    <span class="home-list">
      <PanelLink to="usage">
        {dayUsd === undefined ? paid : t("spent.of", { spent: paid, most: money(dayUsd) })}
      </PanelLink>
      {dayUsd === undefined ? (
        <PanelLink to="usage">{t("spent.budget")}</PanelLink>
      ) : (
        costUsd !== null && <meter class="home-meter" value={costUsd} max={dayUsd} aria-label={t("spent.title")} />
      )}
    </span>
  );
}

function Health({ health: { total, failing, warnings } }: { readonly health: Part<"health"> }): VNode {
  if (failing > 0)
    return (
      <span class="failed">
        <Icon name="alert" size={15} />
        <PanelLink to="system">{t("health.fail", { n: failing })}</PanelLink>
      </span>
    );
  return (
    <PanelLink to="system">{warnings > 0 ? t("health.warn", { n: warnings }) : t("health.ok", { n: total })}</PanelLink>
  );
}

/** On the first day: what one may rely on. */
function Promises({ view }: { readonly view: HomeView | undefined }): VNode {
  const most = view?.spent?.dayUsd;
  return (
    <p class="home-promises muted small">
      <span>
        <Icon name="undo" size={15} />
        {t("promise.undo")}
      </span>
      <span>
        <Icon name="help" size={15} />
        {t("promise.explain")}
      </span>
      <span>
        <Icon name="chart" size={15} />
        {most === undefined ? t("promise.budget.none") : t("promise.budget", { most: money(most) })}
      </span>
    </p>
  );
}
