/** Links with the host beside them when the text says another; images of other hosts as chips, never loaded. */
import type { ComponentChildren, VNode } from "preact";
import { openPanel } from "../lib/route.ts";
import { Icon } from "../ui/icon.tsx";
import { fileOf } from "./parser.ts";
import { t } from "./texts.ts";

export function Link({ href, text, children }: { href: string; text: string; children: ComponentChildren }): VNode {
  const path = fileOf(href);
  if (path !== undefined) return <FileLink path={path}>{children}</FileLink>;
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
  const path = fileOf(src);
  if (path !== undefined) return <FileLink path={path}>{alt === "" ? path : alt}</FileLink>;
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

/** Opened in the preview: what the model calls it may be another name, so the title says the path. */
function FileLink({ path, children }: { path: string; children: ComponentChildren }): VNode {
  return (
    <button
      type="button"
      class="file-link"
      title={t("link.file", { path })}
      onClick={() => openPanel(`preview/file/${path}`)}
    >
      {children}
    </button>
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
