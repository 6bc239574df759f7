/** Whether a secret sent there can be read on the way. */
export const isInTheClear = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin);
  return protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
};
