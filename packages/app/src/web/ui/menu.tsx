/** A button with a menu: arrow keys, Home, End, letters; Esc closes and returns the focus. */
import type { ComponentChildren, VNode } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { may, person } from "../auth.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

export type MenuEntry =
  | "line"
  | { readonly head: string }
  | {
      readonly label: string;
      readonly icon?: IconName;
      readonly note?: string;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      /** See `ButtonProps`. */
      readonly needs?: string;
      /** Set on choices: drawn with a mark and said as `menuitemradio`. */
      readonly checked?: boolean;
      /** Beside `checked`: a choice of its own, said as `menuitemcheckbox`. */
      readonly alone?: true;
      readonly onSelect: () => void;
    };

export interface MenuButtonProps extends Omit<ButtonProps, "onClick"> {
  /** Asked when it opens. */
  readonly entries: () => readonly MenuEntry[];
  /** It opens: what its entries are made of may be read anew. */
  readonly onOpen?: () => void;
}

/** What the gateway would not refuse. */
function allowed(entries: readonly MenuEntry[]): readonly MenuEntry[] {
  return entries.filter((entry) => typeof entry === "string" || !("needs" in entry) || may(entry.needs ?? ""));
}

export function MenuButton({ entries, onOpen, ...button }: MenuButtonProps): VNode | null {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    anchor.current?.querySelector("button")?.focus();
  };
  if (person.value !== undefined && allowed(entries()).length === 0) return null;
  return (
    <span ref={anchor} class="menu-anchor">
      <Button
        {...button}
        aria-haspopup="menu"
        aria-expanded={open}
        {...(open && { "aria-controls": id })}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
        }}
      />
      {open && <Menu id={id} anchor={anchor} entries={allowed(entries())} onClose={close} />}
    </span>
  );
}

interface MenuProps {
  readonly id: string;
  readonly anchor: { readonly current: HTMLElement | null };
  readonly entries: readonly MenuEntry[];
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

function Menu({ id, anchor, entries, onClose }: MenuProps): VNode {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = element.current;
    if (!menu || !anchor.current) return undefined;
    place(menu, anchor.current.getBoundingClientRect());
    items(menu)[0]?.focus();
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !menu.contains(event.target) && !anchor.current?.contains(event.target))
        onClose();
    };
    document.addEventListener("pointerdown", outside, true);
    window.addEventListener("resize", onClose);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      window.removeEventListener("resize", onClose);
    };
  }, []);
  return (
    <div
      ref={element}
      id={id}
      role="menu"
      class="menu"
      onKeyDown={(event) => {
        if (event.key === "Escape" || event.key === "Tab") {
          event.preventDefault();
          event.stopPropagation();
          onClose();
        } else move(event, element.current);
      }}
    >
      {entries.map((entry, index) => {
        if (entry === "line") return <div key={index} class="menu-line" role="separator" />;
        if ("head" in entry)
          return (
            <div key={index} class="menu-head" role="presentation">
              {entry.head}
            </div>
          );
        return (
          <button
            key={index}
            type="button"
            role={roleOf(entry)}
            {...(entry.checked !== undefined && { "aria-checked": entry.checked })}
            tabIndex={-1}
            class={entry.danger === true ? "menu-item danger" : "menu-item"}
            disabled={entry.disabled === true}
            onClick={() => {
              onClose();
              entry.onSelect();
            }}
          >
            {entry.icon && <Icon name={entry.icon} size={16} />}
            <span class="grow">
              {entry.label}
              {entry.note !== undefined && <span class="note"> {entry.note}</span>}
            </span>
            {entry.checked === true && <Icon name="check" size={16} />}
          </button>
        );
      })}
    </div>
  );
}

function roleOf({ checked, alone }: Exclude<MenuEntry, "line" | { readonly head: string }>) {
  if (checked === undefined) return "menuitem";
  return alone === true ? "menuitemcheckbox" : "menuitemradio";
}

function items(menu: HTMLElement): HTMLButtonElement[] {
  return [...menu.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
}

function move(event: KeyboardEvent, menu: HTMLElement | null): void {
  if (!menu) return;
  const all = items(menu);
  const at = all.findIndex((item) => item === document.activeElement);
  let next: HTMLButtonElement | undefined;
  if (event.key === "ArrowDown") next = all[(at + 1) % all.length];
  else if (event.key === "ArrowUp") next = all[(at - 1 + all.length) % all.length];
  else if (event.key === "Home") next = all[0];
  else if (event.key === "End") next = all.at(-1);
  else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey)
    next = [...all.slice(at + 1), ...all].find((item) =>
      item.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase()),
    );
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

/** Below the button, above it when there is no room; inside the window in any case. */
function place(menu: HTMLElement, anchor: DOMRect): void {
  const { width, height } = menu.getBoundingClientRect();
  const below = anchor.bottom + 4;
  const top = below + height <= innerHeight - 8 ? below : Math.max(8, anchor.top - height - 4);
  const left = anchor.left + width <= innerWidth - 8 ? anchor.left : anchor.right - width;
  menu.style.top = `${String(top)}px`;
  menu.style.left = `${String(Math.max(8, Math.min(left, innerWidth - width - 8)))}px`;
}
