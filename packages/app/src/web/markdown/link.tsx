/** Links with the host beside them when the text says another; images of other hosts as chips, never loaded. */
import type { ComponentChildren, VNode } from "preact";
import { Icon } from "../ui/icon.tsx";
import { t } from "./texts.ts";

export function Link({ href, text, children }: { href: string; text: string; children: ComponentChildren }): VNode {
  const host = hostOf(href);
  const claimed = /^\s*(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})/iu.exec(text)?.[1]?.toLowerCase();
  const differs = host !== undefined && claimed !== undefined && !sameHost(claimed, host);
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {differs && (
        <span class="host-chip" title={href}>
          {t("link.host", { host })}
        </span>
      )}
    </>
  );
}

export function RemoteImage({ src, alt }: { src: string; alt: string }): VNode {
  const host = hostOf(src);
  if (host === undefined) return <span>{alt}</span>;
  return (
    <a class="image-chip" href={src} target="_blank" rel="noopener noreferrer nofollow" title={src}>
      <Icon name="image" size={16} />
      {t("image.remote", { host })}
      {alt !== "" && <span class="muted">{alt}</span>}
    </a>
  );
}

function hostOf(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    return parsed.protocol === "mailto:" ? undefined : parsed.host;
  } catch {
    return undefined;
  }
}

function sameHost(claimed: string, host: string): boolean {
  const bare = (name: string): string => name.replace(/^www\./, "").replace(/:\d+$/, "");
  return bare(claimed) === bare(host);
}
