/** A document with a form: fields from the schema of its route, a draft beside what is saved, conflict and save. */
import type { ComponentChildren, VNode } from "preact";
import { c } from "../texts/panels-common.ts";
import { Button } from "../ui/button.tsx";
import type { Field } from "../ui/form-shape.ts";
import { Fields, type OwnControls } from "../ui/schema-form.tsx";
import { toast } from "../ui/toast.tsx";
import { Act, Outcome, useAct, type Acting } from "./act.tsx";
import { faultsOf, toProblem } from "./api.ts";
import { isConflict, useDraft, type Draft } from "./draft.ts";

/** What the header of a write says: only as it was when the editing began, or only when there is none yet. */
export type Condition = { readonly ifMatch: string } | { readonly ifNoneMatch: "*" };

interface Editing<T, Answer> {
  /** Of the draft: page and document, `hooks/build`. */
  readonly name: string;
  /** As the server has it; of a new one, what the form begins with. */
  readonly saved: T;
  /** Of what is saved; undefined: it is new. */
  readonly hash: string | undefined;
  readonly fields: readonly Field[];
  write(value: T, condition: Condition): Promise<Answer>;
  /** What a change brings along. */
  readonly changed?: (next: T, before: T) => T;
  /** Loads what is saved now; a new thing has nothing to load. */
  readonly reload?: (() => Promise<void>) | undefined;
  /** What is said, and done, once it was written. */
  readonly said?: ((value: T) => string) | undefined;
  readonly done?: ((value: T, answer: Answer) => Promise<void> | void) | undefined;
}

export interface Form<T> {
  readonly draft: Draft<T>;
  readonly value: T;
  readonly isNew: boolean;
  readonly fields: readonly Field[];
  readonly acting: Acting;
  readonly faults: ReadonlyMap<string, string>;
  change(next: T): void;
  save(): Promise<void>;
}

/** A draft that is saved once, and only over what it was begun on. */
export function useForm<T extends object, Answer = void>(editing: Editing<T, Answer>): Form<T> {
  const { name, saved, hash, fields, write, reload, said, done } = editing;
  const draft = useDraft<T>(name, saved, hash);
  const acting = useAct();
  const save = async (): Promise<void> => {
    const value = tidied(draft.value, fields);
    let answer: Answer;
    try {
      answer = await write(value, draft.hash === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${draft.hash}"` });
    } catch (error) {
      if (isConflict(toProblem(error))) await reload?.(); // what is there now, to choose from
      throw error;
    }
    draft.discard();
    if (said !== undefined) toast(said(value));
    await (done === undefined ? reload?.() : done(value, answer));
  };
  return {
    draft,
    value: draft.value,
    isNew: hash === undefined,
    fields,
    acting,
    faults: faultsOf(acting.problem),
    change: (next) => draft.change(editing.changed?.(next, draft.value) ?? next),
    save,
  };
}

interface ResourceFormProps<T> {
  readonly form: Form<T>;
  /** Fields with a control that no schema can tell. */
  readonly own?: OwnControls;
  readonly ready?: boolean;
  /** Between the fields and what became of the last try. */
  readonly children?: ComponentChildren;
  /** Beside save. */
  readonly actions?: ComponentChildren;
  /** What saving is called, when it is not that. */
  readonly verb?: string;
}

export function ResourceForm<T extends object>(props: ResourceFormProps<T>): VNode {
  const { form, own, ready = true, children, actions, verb = c("save") } = props;
  const { draft, acting } = form;
  return (
    <div class="stack p-form">
      <Fields
        fields={form.fields}
        value={form.value}
        faults={form.faults}
        // The controls give what the schema of the route says, and T is made of the same schema.
        onChange={(value) => form.change(value as T)}
        {...(own !== undefined && { own })}
      />
      {children}
      {draft.state === "elsewhere" && <Elsewhere draft={draft} />}
      <Outcome of={acting} hide={draft.state === "elsewhere" ? ["precondition.failed"] : []} />
      <div class="p-row">
        {actions}
        <span class="grow" />
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
        <Act
          acting={acting}
          work={form.save}
          kind="primary"
          disabled={!ready || draft.state === "elsewhere" || (draft.state === "saved" && !form.isNew)}
        >
          {verb}
        </Act>
      </div>
    </div>
  );
}

/** Someone else saved first: nothing is written over unseen. */
function Elsewhere({ draft }: { readonly draft: Pick<Draft<unknown>, "discard" | "rebase"> }): VNode {
  return (
    <div class="note-box warn" role="alert">
      <div class="stack grow">
        <strong>{c("elsewhere")}</strong>
        <span>{c("elsewhereWhy")}</span>
        <div class="p-row">
          <Button onClick={draft.discard}>{c("takeTheirs")}</Button>
          <Button onClick={draft.rebase}>{c("keepYours")}</Button>
        </div>
      </div>
    </div>
  );
}

/** Without what is left over from writing: blanks around a text, empty lines of a list, fields that were emptied. */
function tidied<T extends object>(value: T, fields: readonly Field[]): T {
  const optional = new Set(fields.filter(({ required }) => !required).map(({ name }) => name));
  const clean = Object.entries(value)
    .map(([name, one]: [string, unknown]) => [name, tidy(one)] as const)
    .filter(([name, one]) => !(one === "" && optional.has(name)));
  return Object.fromEntries(clean) as T; // the same names and kinds of values as before
}

function tidy(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  return Array.isArray(value) ? value.filter((one) => typeof one !== "string" || one.trim() !== "") : value;
}
