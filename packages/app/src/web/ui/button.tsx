/** Buttons. An icon alone needs `label`; `busy` keeps the place and says so. */
import type { ComponentChildren, JSX, VNode } from "preact";
import { may } from "../auth.ts";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "size" | "icon" | "label"> {
  readonly icon?: IconName;
  readonly kind?: "normal" | "primary" | "quiet" | "danger" | "danger-primary";
  readonly size?: "normal" | "small";
  readonly busy?: boolean;
  /** The accessible name and tooltip when there is only an icon. */
  readonly label?: string;
  /** What the gateway is asked for by it: there is none where that would be refused. */
  readonly needs?: string;
  readonly children?: ComponentChildren;
}

export function Button({ needs, ...props }: ButtonProps): VNode | null {
  if (needs !== undefined && !may(needs)) return null;
  const { icon, kind = "normal", size = "normal", busy = false, label, children, class: extra, ...rest } = props;
  const only = children === undefined;
  const shown = busy ? "spinner" : icon;
  const name = ["button", kind === "danger-primary" ? "danger primary" : kind, size === "small" && "small"]
    .concat(only && "icon", busy && "busy", typeof extra === "string" && extra)
    .filter((part) => part !== false && part !== "normal")
    .join(" ");
  return (
    <button
      type="button"
      {...(label !== undefined && { "aria-label": label, title: label })}
      {...rest}
      class={name}
      disabled={rest.disabled === true || busy}
      aria-busy={busy}
    >
      {shown && <Icon name={shown} size={size === "small" ? 16 : 18} />}
      {children}
    </button>
  );
}
