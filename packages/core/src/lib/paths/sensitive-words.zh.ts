/** What people name such files in Chinese: password, passphrase, private key, key, recovery words. */
export const SENSITIVE_WORDS: RegExp = /密码|口令|私钥|密钥|助记词/;
export const SENSITIVE_START = "密";
