/** The rows of the picker: in fixed columns what a model can do, how much it reads, and what it costs. */
import type { VNode } from "preact";
import { tokens } from "../texts/format.ts";
import { number } from "../texts/texts.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import type { Choice, Group } from "./choices.ts";
import { t } from "./texts.ts";

interface RowsProps {
  readonly id: string;
  readonly groups: readonly Group[];
  /** The one that Enter takes, counted over all groups. */
  readonly at: number;
  readonly value: string | undefined;
  readonly pinned: readonly string[];
  /** That a model must see to know what is spoken about. */
  readonly pictures: number;
  readonly onAt: (at: number) => void;
  readonly onChoose: (choice: Choice) => void;
  readonly onPin: (choice: Choice) => void;
}

export function PickerRows({ id, groups, ...row }: RowsProps): VNode {
  let first = 0;
  return (
    <>
      {groups.map((group, index) => {
        const from = first;
        first += group.choices.length;
        const heading = `${id}-group-${String(index)}`;
        return (
          <div key={group.offer?.provider ?? group.kind} role="group" aria-labelledby={heading}>
            <Heading id={heading} group={group} />
            {group.choices.map((choice, n) => (
              <Row key={choice.name} id={id} choice={choice} index={from + n} kind={group.kind} {...row} />
            ))}
          </div>
        );
      })}
    </>
  );
}

function Heading({ id, group: { kind, offer } }: { readonly id: string; readonly group: Group }): VNode {
  return (
    <div class="picker-head" id={id}>
      {kind === "kept" && (
        <>
          <span class="grow">{t("kept")}</span>
          <span class="picker-window" aria-hidden="true">
            {t("windowHead")}
          </span>
          <span class="picker-price" aria-hidden="true">
            {t("priceHead")}
          </span>
        </>
      )}
      {kind === "typed" && <span>{t("typedHead")}</span>}
      {offer !== undefined && (
        <span class="grow">
          <strong>{offer.title}</strong>{" "}
          {offer.isReading ? (
            <>
              <Icon name="spinner" size={12} class="spin" /> {t("asking")}
            </>
          ) : offer.problem === undefined ? (
            <>· {t("found", { n: offer.models.length })}</>
          ) : (
            <span class="danger-ink">{offer.problem}</span>
          )}
        </span>
      )}
    </div>
  );
}

interface RowProps extends Omit<RowsProps, "groups"> {
  readonly choice: Choice;
  readonly index: number;
  readonly kind: Group["kind"];
}

function Row({ id, choice, index, kind, at, value, pinned, pictures, onAt, onChoose, onPin }: RowProps): VNode {
  const { name, title, model, isLocal } = choice;
  const isPinned = pinned.includes(name);
  const isBlind = pictures > 0 && model?.vision === false;
  return (
    <div
      id={`${id}-${String(index)}`}
      class="picker-row"
      role="option"
      aria-selected={index === at}
      title={name}
      data-chosen={name === value}
      data-blind={isBlind}
      onMouseMove={() => onAt(index)}
      onClick={() => onChoose(choice)}
    >
      {/* For a pointer; keys pin with Ctrl+P, which the field says. */}
      <span
        class="picker-pin"
        aria-hidden="true"
        data-pinned={isPinned}
        title={t(isPinned ? "unpin" : "pin")}
        onClick={(event) => {
          event.stopPropagation();
          onPin(choice);
        }}
      >
        <Icon name={name === value ? "check" : "pin"} size={16} />
      </span>
      <span class="picker-name">
        {kind === "typed" ? t("typed", { name }) : name.slice(name.indexOf("/") + 1)}
        {kind === "kept" && <span class="muted"> {isLocal ? t("here", { title }) : title}</span>}
        {isBlind && <span class="small warn-ink"> {t("blind", { n: pictures })}</span>}
        <span class="visually-hidden">{spoken(choice, { kind, isChosen: name === value, isPinned })}</span>
      </span>
      <Can name="image" can={model?.vision} what={t("vision")} />
      <Can name="tool" can={model?.tools} what={t("tools")} />
      <Can name="spark" can={model?.thinking} what={t("thinking")} />
      <span class="picker-window" aria-hidden="true">
        {model === undefined ? "" : windowText(model.window)}
      </span>
      <span class="picker-price" aria-hidden="true">
        {priceText(choice)}
      </span>
    </div>
  );
}

function Can({
  name,
  can,
  what,
}: {
  readonly name: IconName;
  readonly can: boolean | undefined;
  readonly what: string;
}): VNode {
  return (
    <span class="picker-can" aria-hidden="true" {...(can === true && { title: what })}>
      {can === true && <Icon name={name} size={16} />}
    </span>
  );
}

function windowText(window: number): string {
  if (window < 1_000) return number(window);
  if (window < 1_000_000) return `${number(Math.round(window / 1_000))}K`;
  return `${number(window / 1_000_000, { maximumFractionDigits: 1 })}M`;
}

function priceText({ isLocal, model }: Choice): string {
  if (isLocal) return t("free");
  if (model === undefined) return "";
  if (model.price === undefined) return "—";
  return `${dollars(model.price.input)} · ${dollars(model.price.output)}`;
}

function dollars(value: number): string {
  return number(value, { maximumFractionDigits: value < 0.1 ? 3 : 2 });
}

/** The columns are for eyes: this says the same after the name. */
function spoken({ title, model, isLocal }: Choice, { kind, isChosen, isPinned }: Marks): string {
  const can =
    model === undefined
      ? []
      : [model.vision && t("vision"), model.tools && t("tools"), model.thinking && t("thinking")];
  const parts = [
    kind === "provider" && title,
    isChosen && t("chosen"),
    isPinned && t("isPinned"),
    ...can,
    model !== undefined && t("window", { n: tokens(model.window) }),
    isLocal
      ? t("free")
      : model !== undefined &&
        (model.price === undefined
          ? t("noPrice")
          : t("price", { input: dollars(model.price.input), output: dollars(model.price.output) })),
  ];
  return parts
    .filter((part) => typeof part === "string" && part !== "")
    .map((part) => `, ${String(part)}`)
    .join("");
}

interface Marks {
  readonly kind: Group["kind"];
  readonly isChosen: boolean;
  readonly isPinned: boolean;
}
