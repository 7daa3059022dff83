/** Copies and says so on the spot. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../texts/index.ts";
import { copyText } from "../lib/clipboard.ts";
import { Button } from "./button.tsx";

const SAID_MS = 1_600;

/** @param text asked at the click. */
export function CopyButton({ text, label }: { text: () => string; label?: string }): VNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      kind="quiet"
      size="small"
      icon={copied ? "check" : "copy"}
      label={copied ? t("common.copied") : (label ?? t("common.copy"))}
      onClick={() => void copyText(text()).then(setCopied)}
    />
  );
}
