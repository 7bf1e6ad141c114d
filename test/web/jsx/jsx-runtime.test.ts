import { test } from 'tap';
import { shownProps } from '../../../web/jsx/jsx-runtime.ts';

const NAME = 'shot\u202Egpj.exe';
const SHOWN = 'shot\\u202egpj.exe';

void test('bidirectional controls in shown text become visible', async (t) => {
  t.strictSame(shownProps('td', { title: NAME, children: NAME }), { title: SHOWN, children: SHOWN });
  t.strictSame(shownProps('td', { children: [NAME, 1, null] }), { children: [SHOWN, 1, null] });
  t.strictSame(shownProps('p', { 'aria-label': NAME }), { 'aria-label': SHOWN });
  const component = (): null => null;
  t.strictSame(shownProps(component, { title: NAME, children: NAME }), { title: NAME, children: SHOWN });
});

void test('data and text without such controls stay as they are', async (t) => {
  const plain = { title: 'אבג 名前 👩‍👧', value: NAME, children: ['a', { b: 1 }] };
  t.equal(shownProps('input', plain), plain);
  t.equal(shownProps('p', null), null);
});
