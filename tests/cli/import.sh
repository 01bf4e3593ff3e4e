#!/bin/bash
# import.sh PROGRAM: an openCARP parameter file of 99 lines, as studies have them, becomes a config that runs; of what has no counterpart
# every line is listed.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
"$cardiac" import --help > said 2>&1 || { cat said; exit 77; } # no Python
warm_python
mkdir study
expect 0 "" "$cardiac" mesh slab study/slab.pts --size 6mm,3mm,2mm --spacing 0.5mm
awk 'NR == 1 { print 1; n = $1 } END { while (n--) print "1 0 0" }' study/slab.elem > study/slab.lon
awk 'NR > 1 { $NF = 1 + (NR % 3) } { print }' study/slab.elem > tagged && mv tagged study/slab.elem # tags 1, 2, 3
printf '4\nintra\n0 1 7 8\n' > study/corner.vtx
printf '3\n20000 0 0\n-20000 1500 0\n3000 30000 1e3\n' > study/leads.pts
cat > study/parameters.par <<'END'
# ventricular slab, S1 at a corner
meshname                  = slab
simID                     = out_slab   # results
experiment                = 0
bidomain                  = 0
tend                      = 12.0
dt                        = 25         # us
spacedt                   = 2
timedt                    = 1
parab_solve               = 1
mass_lumping              = 1
operator_splitting        = 1
cg_tol_parab              = 1e-8
gridout_i                 = 2
gridout_e                 = 2
num_phys_regions          = 1
phys_region[0].name       = "tissue"
phys_region[0].ptype      = 0
phys_region[0].num_IDs    = 3
phys_region[0].ID[0]      = 1
phys_region[0].ID[1]      = 2
phys_region[0].ID[2]      = 3
num_imp_regions           = 2
imp_region[0].name        = "endo"
imp_region[0].im          = tenTusscherPanfilov
imp_region[0].im_param    = "flags=ENDO,GNa*0.9,Gks-50%,GK1=5.0"
imp_region[0].cellSurfVolRatio = 0.14
imp_region[0].num_IDs     = 2
imp_region[0].ID[0]       = 1
imp_region[0].ID[1]       = 2
imp_region[1].name        = "mid"
imp_region[1].im          = "tenTusscherPanfilov"
imp_region[1].im_param    = "flags=MCELL"
imp_region[1].num_IDs     = 1
imp_region[1].ID[0]       = 3
imp_region[1].im_sv_init  = mid.sv
num_gregions              = 2
gregion[0].name           = "normal"
gregion[0].num_IDs        = 2
gregion[0].ID[0]          = 1
gregion[0].ID[1]          = 3
gregion[0].g_il           = 0.34
gregion[0].g_it           = 0.12
gregion[0].g_in           = 0.12
gregion[0].g_el           = 1.2
gregion[0].g_et           = 0.8
gregion[0].g_en           = 0.8
gregion[1].name           = "border zone"
gregion[1].num_IDs        = 1
gregion[1].ID             = 2
gregion[1].g_il           = 0.34
gregion[1].g_it           = 0.12
gregion[1].g_mult         = 0.5
num_adjustments           = 1
adjustment[0].variable    = tenTusscherPanfilov.GKs
adjustment[0].file        = gks.adj
prepacing_beats           = 2
prepacing_bcl             = 400
prepacing_lats            = lats.dat
num_stim                  = 4
stim[0].name              = "S1"
stim[0].crct.type         = 0
stim[0].pulse.shape       = 0
stim[0].pulse.strength    = 60.0       # uA/cm^2
stim[0].ptcl.start        = 1
stim[0].ptcl.duration     = 2
stim[0].ptcl.npls         = 2
stim[0].ptcl.bcl          = 400
stim[0].elec.vtx_file     = corner
stim[1].name              = block
stim[1].pulse.strength    = 30
stim[1].ptcl.start        = 5
stim[1].ptcl.duration     = 1
stim[1].elec.p0           = 0 0 0
stim[1].elec.p1[0]        = 500
stim[1].elec.p1[1]        = 3000
stim[1].elec.p1[2]        = 1000
stim[2].pulse.strength    = 40
stim[2].ptcl.duration     = 1
stim[2].elec.geom_type    = 1
stim[2].elec.p0[0]        = 6000
stim[2].elec.radius       = 900
stimulus[3].stimtype      = 0
stimulus[3].strength      = 20
stimulus[3].duration      = 0.5
stimulus[3].x0            = 2000
stimulus[3].xd            = 1000
stimulus[3].yd            = 500
num_LATs                  = 1
lats[0].measurand         = 0
lats[0].method            = 1
lats[0].all               = 1
lats[0].threshold         = -20
lats[0].ID                = acts
num_gvecs                 = 1
gvec[0].name              = Cai
gvec[0].ID[0]             = Ca_i
phie_rec_ptf              = leads
phie_recovery_file        = ecg
chkpt_intv                = 4
END
awk 'BEGIN { for (i = 0; i < 455; i++) print i / 10 }' > study/lats.dat
"$cardiac" import study/parameters.par > study/config.yaml 2> printed || fail "$(cat printed)"
lines=$(grep -c '=' study/parameters.par)
lost=$(grep -c 'parameters.par:[0-9]*:' printed)
[ "$lines" -ge 95 ] && [ "$lost" -le 10 ] || { cat printed; fail "$lost of $lines lines lost"; }
grep -q "^$lost of $lines lines" printed || { cat printed; fail "printed otherwise"; }
for name in cg_tol_parab im_sv_init 'adjustment\[0\].variable' 'adjustment\[0\].file'; do
    line=$(grep -n "$name" study/parameters.par | head -1 | cut -d: -f1)
    grep -q "parameters.par:$line: .*$name" printed || { cat printed; fail "$name of line $line"; }
done
has() { grep -qF -- "$1" study/config.yaml || { cat study/config.yaml; fail "no '$1'"; }; }
has 'model: tp06-endo'
for parameter in 'g_Na: x0.9' 'g_Ks: x0.5' 'g_K1: 5'; do has "        $parameter"; done
has 'model: tp06-m'
lines() { printf '%s\n' "$@" | tr '\n' '@' >part; tr '\n' '@' <study/config.yaml | grep -qF -- "$(cat part)" || { cat study/config.yaml; fail "no $*"; }; }
lines '        intra:' '          longitudinal: 0.17 S/m' '          transverse: 0.06 S/m'
lines '        extra:' '          longitudinal: 1.2 S/m' '          transverse: 0.8 S/m' '          normal: 0.8 S/m'
has 'step: 25 us'
has 'box: {min: [2000 um, 0 um, 0 um], max: [3000 um, 500 um, 0 um]}'
has 'sphere: {centre: [6000 um, 0 um, 0 um], radius: 900 um}'
has 'threshold: -20 mV, beats: 2'
has 'initial: {pace: 2, period: 400 ms, times: lats.dat}'
has 'E1: [-20000 um, 1500 um, 0 um]'
cd study
expect 0 "stimulus S1: 4 nodes, 60 uA/uF" "$cardiac" run config.yaml --dry-run
for tag in 'region 0: tp06-m' 'region 1: tp06-endo' 'region 2: tp06-endo'; do grep -q "$tag" said || { cat said; fail "$tag"; }; done
expect 0 "" "$cardiac" run config.yaml --quiet --device cpu --threads 2 --output out
[ "$(head -1 out/ecg.csv | awk -F, '{ print NF }')" = 4 ] || fail "$(head -1 out/ecg.csv)"
cd ..
expect 2 "bad.par:2" sh -c "printf 'a = 1\nb 2\n' > bad.par; '$cardiac' import bad.par"
expect 2 "none.par" "$cardiac" import none.par
expect 0 "DrouhardRoberge: this model is not here" sh -c "echo 'meshname = m' > few.par; '$cardiac' import few.par"
# what would simulate something else is an error: no mesh, a time step in ms
expect 2 "few.par: no meshname" sh -c "echo 'tend = 5' > few.par; '$cardiac' import few.par"
expect 2 "few.par:2: dt = 0.02 us is not a plausible time step" sh -c "printf 'meshname = m\ndt = 0.02\n' > few.par; '$cardiac' import few.par"
# the extracellular domain outside the intracellular one is a bath, not muscle
cat > few.par <<'END'
meshname = m
num_phys_regions = 2
phys_region[0].ptype = 1
phys_region[0].ID = 0 1 2
phys_region[1].ptype = 0
phys_region[1].num_IDs = 2
phys_region[1].ID[0] = 1
phys_region[1].ID[1] = 2
END
expect 0 "elements with tag 0 are a bath, which is not simulated; take them out of the mesh: cardiac mesh extract m.elem muscle.elem --regions 1,2" "$cardiac" import few.par
grep -q 'tags: \[1, 2\]' said || { cat said; fail "the bath is muscle"; }
# a stimulus with a line that is unknown is left out whole
printf '%s\n' 'meshname = m' 'num_stim = 1' 'stim[0].pulse.strength = 50' 'stim[0].elec.p1 = 1 2 3' 'stim[0].pulse.tau = 3' > few.par
expect 0 "few.par:5: stimulus 0 is left out because this line is unknown" "$cardiac" import few.par
grep -q 'stimuli: \[\]' said || { cat said; fail "half a stimulus"; }
# numbers are what they are: none is forgotten or rounded, and one that is none of their kind is named
printf '%s\n' 'num_stim = 1' 'stim[0].ptcl.npls = 5' 'stim[0].ptcl.bcl = 300' 'stim[0].pulse.strength = 1e1' 'mass_lumping = 0.25' \
    'imp_region[0].num_IDs = 1e99' 'imp_region[0].ID[0] = 1e20' 'meshname = m' > odd.par
expect 0 "odd.par:7: imp_region[0].ID[0] = 1e20 (expected a list of at most" "$cardiac" import odd.par
for part in 'mass_lumping: 0.25' 'count: 5' 'period: 300 ms'; do grep -q "$part" said || { cat said; fail "no $part"; }; done
sed -i /bcl/d odd.par
expect 0 "odd.par:2: stim[0].ptcl.npls = 5 (stimuli[0].period: is missing" "$cardiac" import odd.par
grep -q 'stimuli: \[\]' said || { cat said; fail "a train without a period"; }
# lists, models and states that are not here, stimuli that nobody described: the config passes, and what is lost is named
cat > study/short.par <<'END'
meshname = slab
num_imp_regions = 2
imp_region[0].im = LRDII_F
imp_region[0].im_param = GNa*2
imp_region[1].im = tenTusscherPanfilov
imp_region[1].im_param = "GNa*2,GKr*-1"
imp_region[1].ID = 1, 3
num_gvecs = 2
gvec[0].ID = Cai
gvec[1].ID = Nothing
tend = 1
tend = 1.006
simID = "a
END
expect 0 "" sh -c "cd study && '$cardiac' import short.par > short.yaml"
for lost in 'short.par:3: LRDII_F: this model is not here' 'short.par:4: imp_region.*GNa\*2 is left out: its model is not here' \
    'short.par:6: .*GKr\*-1 is left out' 'short.par:10: gvec' 'short.par:11: tend = 1 (line 12 replaces it)' 'tend becomes 1.01 ms'; do
    grep -q "$lost" said || { cat said; fail "$lost is not named"; }
done
expect 2 "no ionic model 'LRDII_F'" sh -c "cd study && '$cardiac' check short.yaml" # never another one in its place
for part in 'tags: \[1, 3\]' 'g_Na: x2' '    - Ca_i' 'stimuli: \[\]'; do grep -q "$part" study/short.yaml || { cat study/short.yaml; fail "no $part"; }; done
# names in any case, lists in braces, shapes with tags of their own, and what is refused with a word
cat > study/shapes.par <<'END'
meshname = slab
num_imp_regions = 2
imp_region[0].im = TENTUSSCHERPANFILOV
imp_region[1].im = "tt2"
imp_region[1].num_IDS = 3
imp_region[1].ID = {100, 2 200}
imp_region[1].im_param = "flags=ENDO"
imp_region[0].im_sv_init = a.sv
num_tagreg = 4
tagreg[0].tag = 100
tagreg[0].type = 1
tagreg[0].p0 = 1000 1000 0
tagreg[0].radius = 800
tagreg[1].tag = 200
tagreg[1].type = 2
tagreg[1].p0 = -10, -10, -10
tagreg[1].p1 = [2000, 3000, 3000]
tagreg[2].tag = 300
tagreg[2].type = 3
tagreg[2].p0[0] = -100
tagreg[2].p1 = 6000 0 0
tagreg[2].radius = 500
tagreg[3].tag = 400
tagreg[3].type = 4
tagreg[3].elemfile = list
num_adjustments = 1
adjustment[0].variable = tenTusscherPanfilov.GKs
adjustment[0].file = gks.adj
num_gvecs = 2
gvec[0].ID[0] = Cai
gvec[0].ID[1] = Nai
gvec[1].ID = Cai
num_stim = 4
stim[0].crct.type = 2
stim[0].pulse.strength = 1000
stim[1].crct.type = 9
stim[1].pulse.strength = 20
stim[2].pulse.strength = 50
stim[2].elec.geom_type = 7
stim[3].pulse.strength = 50
stim[3].elec.geom_type = 3
stim[3].elec.p1 = {1000 2000 0}
stim[3].elec.radius = 600
tend = 10
END
awk 'NR == 1 { print $1; print "extra"; next } { print NR - 2, 0.1 + $1 / 60000 }' study/slab.pts > study/gks.adj
expect 0 "" sh -c "cd study && '$cardiac' import shapes.par > shapes.yaml"
for lost in 'shapes.par:8: .*(openCARP.s state files are not read' 'tagreg\[3\] is left out' 'shapes.par:25: .*give these elements a tag' \
    'stimulus 0 is left out: its type 2 is an extracellular voltage' \
    'stimulus 1 is left out: its type 9 is a voltage clamp' 'stimulus 2 is left out: its shape (7)' '^10 of 44 lines'; do
    grep -q "$lost" said || { cat said; fail "$lost is not named"; }
done
# The highest tag wins: the cylinder along x, then the block without it; all of the ball lies in the block.
awk 'NR == FNR { if (FNR > 1) { x[FNR - 2] = $1; y[FNR - 2] = $2; z[FNR - 2] = $3 } next }
    FNR > 1 { cx = cy = cz = 0; for (k = 2; k < 6; k++) { cx += x[$k] / 4; cy += y[$k] / 4; cz += z[$k] / 4 }
        if (cy * cy + cz * cz <= 500 * 500) region[0]++; else if (cx <= 2000) region[1]++; else region[$6 == 2 ? 3 : 4]++ }
    END { print "region 0: tp06-epi, " region[0] " el\nregion 1: tp06-endo, " region[1] " el\nregion 2: tp06-endo, 0 el"
        print "region 3: tp06-endo, " region[3] " el\nregion 4: tp06-epi, " region[4] " el" }' study/slab.pts study/slab.elem >wanted
expect 0 "stimulus S4: 15 nodes" sh -c "cd study && '$cardiac' run shapes.yaml --dry-run"
grep -o '^region [0-9]: [a-z0-9-]*, [0-9]* el' said | diff wanted - || fail "elements of the shapes"
grep -q '^region 0: .*, g_Ks 0.1 .. 0.2 by adjustment_0' said || { cat said; fail "no adjusted parameter"; }
grep -q '^region 2: tp06-endo, 0 elements$' said || { cat said; fail "a range of no nodes"; }
for part in '    - Ca_i' '    - Na_i'; do grep -q -e "$part" study/shapes.yaml || { cat study/shapes.yaml; fail "no $part"; }; done
[ "$(grep -c Ca_i study/shapes.yaml)" = 1 ] || fail "a field twice"
echo "parameter files are converted"
