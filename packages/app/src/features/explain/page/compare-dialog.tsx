/** One step of a turn beside the same step in another branch of the conversation: what differs is marked. */
import type { Change } from "diff";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../../web/api.ts";
import { duration, fullTime, money, tokens } from "../../../web/texts/format.ts";
import { t } from "./texts.ts";
import { navigate } from "../../../web/lib/route.ts";
import { VisibleText } from "../../../web/markdown/visible-text.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Dialog } from "../../../web/ui/dialog.tsx";
import { Select } from "../../../web/ui/field.tsx";
import { ProblemBox } from "../../../web/ui/problem.tsx";
import { Skeleton } from "../../../web/ui/states.tsx";
import type { Explanation, Request, TurnBranch } from "./types.ts";

interface CompareProps {
  readonly request: Request;
  /** Which answer of the turn it is, from 0. */
  readonly place: number;
  readonly branches: readonly TurnBranch[];
  readonly onClose: () => void;
}

export function CompareDialog({ request, place, branches, onClose }: CompareProps): VNode {
  const [chosen, setChosen] = useState(branches[0]?.session ?? "");
  const [state, setState] = useState<{ session: string; body?: Explanation; error?: unknown }>();
  const branch = branches.find(({ session }) => session === chosen);
  const turn = branch?.turn ?? "";
  useEffect(() => {
    let gone = false;
    const put = (next: { body: Explanation } | { error: unknown }): void => {
      if (!gone) setState({ session: chosen, ...next });
    };
    api.get<Explanation>(`/sessions/${chosen}/turns/${turn}/explain`).then(put, (error: unknown) => put({ error }));
    return () => {
      gone = true;
    };
  }, [chosen, turn]);
  const loaded = state?.session === chosen ? state : undefined;
  return (
    <Dialog
      title={t("compare.title")}
      wide
      onClose={onClose}
      footer={<Button onClick={() => navigate({ page: "chat", session: chosen })}>{t("compare.open")}</Button>}
    >
      <div class="stack">
        {branches.length > 1 && (
          <Select
            label={t("compare.branch")}
            value={chosen}
            onValue={setChosen}
            options={branches.map((one) => ({
              value: one.session,
              label: `${one.title} · ${fullTime(one.updatedAt)}`,
            }))}
          />
        )}
        {loaded === undefined && <Skeleton lines={6} />}
        {loaded?.error !== undefined && <ProblemBox error={loaded.error} />}
        {loaded?.body !== undefined && (
          <Beside mine={request} other={answeredIn(loaded.body)[place]} title={branch?.title ?? ""} />
        )}
      </div>
    </Dialog>
  );
}

/** The requests of a turn that were answered, in their order. */
export function answeredIn({ steps }: Explanation): readonly Request[] {
  return steps.flatMap(({ request }) => (request?.answer === undefined ? [] : [request]));
}

function Beside({ mine, other, title }: { mine: Request; other: Request | undefined; title: string }): VNode {
  if (other === undefined) return <p class="muted">{t("compare.none")}</p>;
  return (
    <table class="explain-compare">
      <caption class="visually-hidden">{t("compare.title")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("compare.this")}</th>
          <th scope="col">{t("compare.other", { title })}</th>
        </tr>
      </thead>
      {FACTS.map(({ id, of, shown }) => (
        <tbody key={id}>
          <tr>
            <th scope="rowgroup" colSpan={2}>
              {t(`compare.${id}`)} {of(mine) !== of(other) && <span class="badge accent">{t("compare.differs")}</span>}
            </th>
          </tr>
          <tr>
            {[mine, other].map((one, index) => (
              <td key={index}>{shown?.(one, of(index === 0 ? other : mine)) ?? of(one)}</td>
            ))}
          </tr>
        </tbody>
      ))}
    </table>
  );
}

interface Fact {
  readonly id: "model" | "new" | "cached" | "output" | "cost" | "time" | "calls" | "answer";
  /** Equal texts are no difference. */
  readonly of: (request: Request) => string;
  /** When it is more than that text. @param against That text of the other. */
  readonly shown?: (request: Request, against: string) => ComponentChildren;
}

const FACTS: readonly Fact[] = [
  { id: "model", of: ({ model }) => `${model.provider}/${model.model}` },
  { id: "new", of: ({ newTokens = 0 }) => tokens(newTokens) },
  { id: "cached", of: ({ cachedTokens = 0 }) => tokens(cachedTokens) },
  { id: "output", of: ({ outputTokens = 0 }) => tokens(outputTokens) },
  { id: "cost", of: ({ costUsd }) => (typeof costUsd === "number" ? money(costUsd) : t("compare.unknown")) },
  { id: "time", of: ({ answer }) => duration(answer?.ms ?? 0) },
  { id: "calls", of: callsText, shown: (request, against) => <Calls request={request} against={against} /> },
  {
    id: "answer",
    of: ({ answer }) => answer?.text ?? "",
    shown: ({ answer }, against) => (
      <div class="explain-answer">
        {answer?.text ? <Words text={answer.text} against={against} /> : t("compare.nothing")}
      </div>
    ),
  },
];

function callsText({ answer }: Request): string {
  return (answer?.calls ?? []).map((call) => `${call.name} ${call.arguments}`).join("\n");
}

function Calls({ request, against }: { request: Request; against: string }): VNode {
  const text = callsText(request);
  if (text === "") return <>{t("compare.nothing")}</>;
  return (
    <code class="explain-answer">
      <Words text={text} against={against} />
    </code>
  );
}

/** With the words marked that the other text does not have. */
function Words({ text, against }: { text: string; against: string }): VNode {
  const [pieces, setPieces] = useState<readonly Change[]>();
  useEffect(() => {
    let gone = false;
    // The library comes with the first comparison. Texts that have next to nothing in common are not worth the wait.
    void import("diff").then(({ diffWordsWithSpace }) => {
      const differ = against !== "" && against !== text;
      const found = differ ? diffWordsWithSpace(against, text, { timeout: MOST_MS }) : undefined;
      if (!gone) setPieces(found?.filter(({ removed }) => !removed));
    });
    return () => {
      gone = true;
    };
  }, [text, against]);
  if (pieces === undefined) return <VisibleText text={text} />;
  return (
    <>
      {pieces.map(({ value, added }, index) =>
        added ? (
          <mark key={index}>
            <VisibleText text={value} />
          </mark>
        ) : (
          <VisibleText key={index} text={value} />
        ),
      )}
    </>
  );
}

const MOST_MS = 200;
