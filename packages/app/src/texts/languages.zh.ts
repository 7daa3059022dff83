/** What no translation changes: each language in its own name. */
export const LANGUAGE_NAMES = { en: "English", "zh-CN": "简体中文" } as const;
/** Asked before it is known which language is read: in both, the likely one first. */
export const LANGUAGE_QUESTION = { en: "Language / 语言", "zh-CN": "语言 / Language" } as const;
