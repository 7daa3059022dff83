/** Yours, theirs and the text both began with: a choice per difference, then one merged text is saved. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { c } from "../../texts/panels-common.ts";
import { t } from "./texts.ts";
import { Skeleton } from "../../ui/states.tsx";
import { Act, Outcome, type Acting } from "../act.tsx";
import { useDifferences, type Piece } from "../diff.tsx";
import { Button } from "../../ui/button.tsx";

interface Props {
  readonly name: string;
  readonly base: string;
  readonly theirs: string;
  readonly mine: string;
  readonly acting: Acting;
  readonly save: (text: string) => Promise<void>;
  readonly takeTheirs: () => void;
}

type Choice = "theirs" | "mine" | "both";
type Hunk = { readonly same: string } | { readonly theirs: string; readonly mine: string };

const CHOICES = [
  ["theirs", "keepTheirs"],
  ["mine", "keepMine"],
  ["both", "keepBoth"],
] as const;

export function Merge({ name, base, theirs, mine, acting, save, takeTheirs }: Props) {
  const pieces = useDifferences(theirs, mine);
  const hunks = useMemo(() => (pieces === undefined ? undefined : hunksOf(pieces)), [pieces]);
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  useEffect(() => {
    if (hunks !== undefined) setChoices(hunks.map((hunk) => ("same" in hunk ? "theirs" : likely(hunk, base))));
  }, [hunks, base]);
  if (hunks === undefined) return <Skeleton />;
  let count = 0;
  return (
    <section class="stack" aria-label={t("conflict", { name })}>
      <div class="note-box warn" role="alert">
        <div>
          <strong>{t("conflict", { name })}</strong>
          <div>{t("conflictWhy")}</div>
        </div>
      </div>
      {hunks.map((hunk, index) => {
        if ("same" in hunk)
          return (
            <pre key={index} class="p-same">
              {fold(hunk.same)}
            </pre>
          );
        count += 1;
        return (
          <fieldset key={index} class="p-hunk">
            <legend>{t("conflictAsk", { n: count })}</legend>
            <div class="p-sides">
              <figure>
                <figcaption>{c("theirs")}</figcaption>
                <pre>{hunk.theirs === "" ? t("gone") : hunk.theirs}</pre>
              </figure>
              <figure>
                <figcaption>{c("yours")}</figcaption>
                <pre>{hunk.mine === "" ? t("gone") : hunk.mine}</pre>
              </figure>
            </div>
            <div class="p-row">
              {CHOICES.map(([choice, key]) => (
                <label key={choice} class="check">
                  <input
                    type="radio"
                    name={`hunk-${index}`}
                    checked={choices[index] === choice}
                    onChange={() => setChoices(choices.map((one, at) => (at === index ? choice : one)))}
                  />
                  <span>{t(key)}</span>
                </label>
              ))}
            </div>
          </fieldset>
        );
      })}
      <details>
        <summary>{t("baseText")}</summary>
        <pre class="p-code">{base}</pre>
      </details>
      <Outcome of={acting} hide={["precondition.failed"]} />
      <div class="p-row">
        <span class="grow" />
        <Button onClick={takeTheirs}>{c("takeTheirs")}</Button>
        <Act acting={acting} work={() => save(merged(hunks, choices))} kind="primary">
          {t("saveMerged")}
        </Act>
      </div>
    </section>
  );
}

function hunksOf(pieces: readonly Piece[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (const { text, side } of pieces) {
    const last = hunks.at(-1);
    if (side === "same") hunks.push({ same: text });
    else if (last !== undefined && "mine" in last)
      hunks[hunks.length - 1] =
        side === "before" ? { ...last, theirs: last.theirs + text } : { ...last, mine: last.mine + text };
    else hunks.push(side === "before" ? { theirs: text, mine: "" } : { theirs: "", mine: text });
  }
  return hunks;
}

/** The side that was changed since the base; both when both were. */
function likely({ theirs, mine }: { readonly theirs: string; readonly mine: string }, base: string): Choice {
  const old = (text: string): boolean => text !== "" && base.includes(text.trimEnd());
  if (theirs !== "" && mine !== "") return old(theirs) ? "mine" : old(mine) ? "theirs" : "both";
  // One side has lines that the other lacks: they are new, or the other side removed them.
  const present = theirs === "" ? "mine" : "theirs";
  const absent = theirs === "" ? "theirs" : "mine";
  return old(theirs === "" ? mine : theirs) ? absent : present;
}

function merged(hunks: readonly Hunk[], choices: readonly Choice[]): string {
  return hunks
    .map((hunk, index) => {
      if ("same" in hunk) return hunk.same;
      const choice = choices[index] ?? "both";
      if (choice === "theirs") return hunk.theirs;
      if (choice === "mine") return hunk.mine;
      return hunk.theirs === "" || hunk.theirs.endsWith("\n")
        ? hunk.theirs + hunk.mine
        : `${hunk.theirs}\n${hunk.mine}`;
    })
    .join("");
}

/** Equal stretches are there for orientation only. */
function fold(text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.length <= 4 ? lines.join("\n") : [...lines.slice(0, 2), "⋯", ...lines.slice(-2)].join("\n");
}
