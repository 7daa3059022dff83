/** How a password (密码, 口令) or a key (密钥) is written in a Chinese sentence: after a colon, an equals sign or a word for "is". */
export const NAMED_SECRET: RegExp = /(密码|口令|密钥)(\s{0,4}(?:[:：=]|是|为)\s{0,4})(?=[!-/:-~]{0,64}\d)[!-~]{6,}/g;
/** The same at the end of a text, not yet as long as it needs to be. */
export const NAMED_SECRET_TAIL: RegExp = /(?:密|密码|口|口令|密钥)(?:\s{0,4}(?:[:：=]|是|为)?\s{0,4}[!-~]*)$/;
