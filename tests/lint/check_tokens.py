#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contrast and colour-blindness figures for tokens.json. Plain Python, no packages.

    python3 check_tokens.py [tokens.json] [--pairs]

Prints WCAG 2 contrast ratios, and CIEDE2000 distances of colours that appear together, as seen
with normal vision and with protanopia, deuteranopia and tritanopia. Two simulations are used and the
worse one counts: Brettel, Vienot and Mollon 1997 (two half planes) and Machado, Oliveira and
Fernandes 2009 (severity 1.0), both in linear sRGB. Exit code 1 if a limit below is broken.
"""
import json, math, os, sys

# ---- colour arithmetic --------------------------------------------------------------------------
def rgb(h): h = h.lstrip('#'); return tuple(int(h[i:i + 2], 16) / 255 for i in (0, 2, 4))
def lin(x): return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4
def linear(h): return tuple(lin(x) for x in rgb(h))
def luminance(h): r, g, b = linear(h); return 0.2126 * r + 0.7152 * g + 0.0722 * b
def contrast(a, b):
    x, y = sorted((luminance(a), luminance(b)), reverse=True)
    return (x + 0.05) / (y + 0.05)

def blend(ground, over, alpha):
    return '#' + ''.join('%02X' % round(255 * (a * (1 - alpha) + b * alpha)) for a, b in zip(rgb(ground), rgb(over)))

BRETTEL = {  # first half plane, second half plane, normal of the separating plane
 'protanopia': ((0.14980, 1.19548, -0.34528, 0.10764, 0.84864, 0.04372, 0.00384, -0.00540, 1.00156),
                (0.14570, 1.16172, -0.30742, 0.10816, 0.85291, 0.03892, 0.00386, -0.00524, 1.00139), (0.00048, 0.00393, -0.00441)),
 'deuteranopia': ((0.36477, 0.86381, -0.22858, 0.26294, 0.64245, 0.09462, -0.02006, 0.02728, 0.99278),
                  (0.37298, 0.88166, -0.25464, 0.25954, 0.63506, 0.10540, -0.01980, 0.02784, 0.99196), (-0.00281, -0.00611, 0.00892)),
 'tritanopia': ((1.01277, 0.13548, -0.14826, -0.01243, 0.86812, 0.14431, 0.07589, 0.80500, 0.11911),
                (0.93678, 0.18979, -0.12657, 0.06154, 0.81526, 0.12320, -0.37562, 1.12767, 0.24796), (0.03901, -0.02788, -0.01113))}
MACHADO = {
 'protanopia': (0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998),
 'deuteranopia': (0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881),
 'tritanopia': (1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900)}
KINDS = ('protanopia', 'deuteranopia', 'tritanopia')

def apply(m, v): return tuple(min(1.0, max(0.0, sum(m[3 * i + j] * v[j] for j in range(3)))) for i in range(3))
def simulate(v, kind, model):
    if model == 'machado': return apply(MACHADO[kind], v)
    a, b, n = BRETTEL[kind]
    return apply(a if sum(x * y for x, y in zip(n, v)) >= 0 else b, v)
def lab(v):
    r, g, b = v
    x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883
    f = lambda t: t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
    return 116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))
def ciede2000(p, q):
    (l1, a1, b1), (l2, a2, b2) = p, q
    cm = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1 = math.degrees(math.atan2(b1, a1)) % 360 if c1 else 0
    h2 = math.degrees(math.atan2(b2, a2)) % 360 if c2 else 0
    dl, dc, dh = l2 - l1, c2 - c1, 0
    hm = h1 + h2
    if c1 * c2:
        dh = (h2 - h1 + 180) % 360 - 180
        hm = (h1 + h2) / 2 if abs(h1 - h2) <= 180 else (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2
    dH = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(dh / 2))
    lm, cp = (l1 + l2) / 2, (c1 + c2) / 2
    cos = lambda d: math.cos(math.radians(d))
    t = 1 - 0.17 * cos(hm - 30) + 0.24 * cos(2 * hm) + 0.32 * cos(3 * hm + 6) - 0.20 * cos(4 * hm - 63)
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cp, 1 + 0.015 * cp * t
    rt = -math.sin(math.radians(60 * math.exp(-((hm - 275) / 25) ** 2))) * 2 * math.sqrt(cp ** 7 / (cp ** 7 + 25 ** 7))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dH / sh) ** 2 + rt * dc / sc * dH / sh)
def views(h):
    v = linear(h)
    out = {'normal': [lab(v)]}
    for k in KINDS: out[k] = [lab(simulate(v, k, m)) for m in ('brettel', 'machado')]
    return out
def distance(a, b):
    """Distance per kind of vision; the worse of the two simulations."""
    return {k: min(ciede2000(x, y) for x, y in zip(a[k], b[k])) for k in a}

# ---- report -------------------------------------------------------------------------------------
broken = []
def need(what, value, limit, unit=''):
    ok = value >= limit - 1e-9
    if not ok: broken.append(f'{what}: {value:.2f}{unit}, wanted {limit}')
    return '' if ok else '  BELOW ' + str(limit)

def text_on_surfaces(name, t):
    print(f'\n{name}: text on surfaces (WCAG ratio)')
    grounds = {k: t['surface'][k] for k in ('window', 'panel', 'pane', 'header', 'raised', 'sunken')}
    grounds.update(hover=t['state']['hover'], selected=t['state']['selected'])
    print(f'  {"":11}' + ''.join(f'{g:>9}' for g in grounds))
    for level, limit in (('primary', 7), ('secondary', 4.5), ('tertiary', 4.5), ('disabled', 0)):
        row = ''
        for g, c in grounds.items():
            v = contrast(t['text'][level], c)
            row += f'{v:9.2f}'; need(f'{name} text.{level} on {g}', v, limit)
        print(f'  {level:11}{row}')
    v = contrast(t['text']['tooltip'], t['surface']['tooltip']); w = contrast(t['text']['tooltip_secondary'], t['surface']['tooltip'])
    print(f'  tooltip text {v:.2f}, secondary {w:.2f}' + need(f'{name} tooltip', v, 7) + need(f'{name} tooltip secondary', w, 4.5))
    v = contrast(t['state']['primary_text'], t['state']['primary']); print(f'  primary button text {v:.2f}' + need(f'{name} primary button', v, 4.5))

def lines(name, t):
    print(f'\n{name}: control borders, focus, selection (at least 3)')
    for what, a, b in (('control border on raised', t['border']['control'], t['surface']['raised']), ('control border on panel', t['border']['control'], t['surface']['panel']),
                       ('control border on window', t['border']['control'], t['surface']['window']), ('focus ring on window', t['state']['focus'], t['surface']['window']),
                       ('focus ring on pane', t['state']['focus'], t['surface']['pane']), ('cursor line on pane', t['timeline']['cursor'], t['surface']['pane']), ('chart axis on pane', t['chart']['axis'], t['surface']['pane']),
                       ('selected bar on selected', t['state']['selected_bar'], t['state']['selected'])):
        v = contrast(a, b); print(f'  {what:28}{v:7.2f}' + need(f'{name} {what}', v, 3))
    worst = min(contrast(t['timeline']['selection'], c['fill']) for c in t['category'].values())
    inner = min(max(contrast(t['timeline']['selection'], c['fill']), contrast(t['timeline']['selection_inner'], c['fill'])) for c in t['category'].values())
    print(f'  selection outline on the least favourable fill {worst:.2f}; outline or its inner line {inner:.2f}' + need(f'{name} selection', inner, 3))

def categories(name, t):
    print(f'\n{name}: categories (label on fill at least 4.5; fill or edge on pane at least 3)')
    print(f'  {"":16}{"fill":9}{"edge":9}{"label":9}{"label/fill":>11}{"fill/pane":>11}{"edge/pane":>11}')
    for k, c in t['category'].items():
        a, b, e = contrast(c['label'], c['fill']), contrast(c['fill'], t['surface']['pane']), contrast(c['edge'], t['surface']['pane'])
        note = need(f'{name} label on {k}', a, 4.5)
        if k != 'idle': note += need(f'{name} outline of {k}', max(b, e), 3)
        print(f'  {k:16}{c["fill"]:9}{c["edge"]:9}{c["label"]:9}{a:11.2f}{b:11.2f}{e:11.2f}{note}')

def marks(name, t):
    print(f'\n{name}: run, delta and severity colours')
    for k, c in t['run'].items():
        a, b = min(contrast(c, t['surface'][s]) for s in ('pane', 'panel', 'window')), contrast(c, t['run_text'][k])
        print(f'  run {k} {c}: on surfaces {a:.2f}, letter on chip {b:.2f}' + need(f'{name} run {k}', a, 3) + need(f'{name} letter {k}', b, 4.5))
    for k in ('faster', 'slower', 'neutral'):
        a = min(contrast(t['delta'][k], c) for c in (t['surface']['pane'], t['surface']['panel'], t['state']['hover'], t['state']['selected']))
        print(f'  delta {k} {t["delta"][k]}: text on pane, panel, hover, selected at least {a:.2f}' + need(f'{name} delta {k}', a, 4.5))
    for k in ('faster', 'slower'):
        ground = blend(t['surface']['panel'], t['delta']['ribbon_' + k], t['delta']['ribbon_alpha'])
        v = contrast(t['delta'][k], ground); print(f'  delta {k} as a label on its own ribbon ({ground}) {v:.2f}' + need(f'{name} label on {k} ribbon', v, 4.5))
    v = min(max(contrast(i, c) for i in t['label_inks']) for c in t['delta']['scale']); print(f'  delta scale: best ink on the worst step {v:.2f}' + need(f'{name} ink on delta scale', v, 4.5))
    for k in ('problem', 'warning', 'info', 'ok'):
        a, b = contrast(t['severity'][k], t['surface']['pane']), contrast(t['severity'][k], t['severity'][k + '_bg'])
        print(f'  severity {k} {t["severity"][k]}: on pane {a:.2f}, on its ground {b:.2f}' + need(f'{name} severity {k}', min(a, b), 4.5))
    v = min(contrast(t['text']['primary'], c) for c in t['heat']); print(f'  table heat: text on the strongest step {v:.2f}' + need(f'{name} heat', v, 4.5))

def apart(name, title, colours, limit, pairs, normal_limit=None):
    seen = {k: views(v) for k, v in colours.items()}
    rows = []
    ks = list(colours)
    for i, a in enumerate(ks):
        for b in ks[i + 1:]: rows.append((distance(seen[a], seen[b]), a, b))
    print(f'\n{name}: {title}, smallest CIEDE2000 distance of {len(rows)} pairs')
    for kind in ('normal',) + KINDS:
        d, a, b = min(((r[0][kind], r[1], r[2]) for r in rows))
        lim = (normal_limit or limit) if kind == 'normal' else limit
        print(f'  {kind:14}{d:6.1f}   {a} and {b}' + need(f'{name} {title} {kind} ({a}, {b})', d, lim))
    if pairs:
        for r in sorted(rows, key=lambda r: min(r[0].values()))[:10]:
            print('     ' + f'{r[1]} / {r[2]}: ' + ', '.join(f'{k} {v:.1f}' for k, v in r[0].items()))

def main():
    args = [a for a in sys.argv[1:] if not a.startswith('--')]
    pairs = '--pairs' in sys.argv
    path = args[0] if args else os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tokens.json')
    with open(path, encoding='utf-8') as f: doc = json.load(f)
    device = ('gemm', 'attention', 'softmax', 'elementwise', 'normalisation', 'copy', 'communication', 'unknown')
    host = ('cpu_operator', 'python', 'launch', 'annotation', 'synchronisation')
    for name in ('light', 'dark'):
        t = doc[name]
        text_on_surfaces(name, t); lines(name, t); categories(name, t); marks(name, t)
        fill = lambda ks: {k: t['category'][k]['fill'] for k in ks}
        apart(name, 'device categories', fill(device), 10, pairs, 14)
        apart(name, 'host categories', fill(host), 6, pairs, 8)
        apart(name, 'runs A to D', {k: t['run'][k] for k in 'ABCD'}, 10, pairs, 20)
        apart(name, 'runs A to H (shape and letter help)', t['run'], 6, pairs, 14)
        d = t['delta']; apart(name, 'delta text', {k: d[k] for k in ('faster', 'slower', 'neutral')}, 10, pairs)
        apart(name, 'delta bars', {k: d[k + '_bar'] for k in ('faster', 'slower', 'neutral')}, 10, pairs)
        apart(name, 'delta scale, neighbours', {str(i): d['scale'][i] for i in (0, 2, 3, 4, 6)}, 8, pairs)
    print(f'\n{len(broken)} limit(s) broken')
    for b in broken: print('  ' + b)
    return 1 if broken else 0

if __name__ == '__main__': sys.exit(main())
