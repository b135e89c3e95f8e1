/** What somebody typed as an amount: the plain decimal that it is, or why it is none. */
export type TypedAmount =
  | { readonly amount: string; readonly why?: undefined }
  | { readonly amount?: undefined; readonly why: string };

const SPACES = /[\s\u00A0\u202F\u2009']/gu;

/**
 * Reads an amount as people write it: with spaces, or with commas between groups of three digits before a point. A lone
 * comma is refused, since one half of the world reads `1,000` as a thousand and the other as one.
 */
export function readAmount(typed: string): TypedAmount {
  const text = typed.replaceAll(SPACES, '');
  if (text === '') return { why: 'Type an amount.' };
  if (text.startsWith('-')) return { why: 'Type an amount above zero.' };
  if (!/^[\d.,]+$/.test(text)) return { why: 'Use digits and a point, such as 1000.50.' };
  if (text.includes(',') && !/^\d{1,3}(,\d{3})+\.\d+$|^\d{1,3}(,\d{3}){2,}$/.test(text)) {
    const [whole = '', rest = '', more] = text.split(',');
    if (more !== undefined || text.includes('.')) return { why: 'Write it without a comma.' };
    if (rest.length !== 3) return { why: `Use a point for decimals: ${whole || '0'}.${rest}` };
    return { why: `“${typed.trim()}” may be ${whole + rest} or ${whole}.${rest}. Write it without a comma.` };
  }
  const plain = text.replaceAll(',', '');
  if (!/^(\d+\.?\d*|\.\d+)$/.test(plain)) return { why: 'Use one point, such as 1000.50.' };
  const [whole = '', fraction = ''] = plain.split('.');
  const digits = fraction.replace(/0+$/, '');
  const amount = `${whole.replace(/^0+(?=\d)/, '') || '0'}${digits && `.${digits}`}`;
  return amount === '0' ? { why: 'Type an amount above zero.' } : { amount };
}
