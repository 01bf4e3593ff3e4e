/* model_names.c: other names of models, as comma-separated lists. */
#include "app/config/model_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

/* Our model, and its names in papers and in openCARP */
static const char *const known[][2] = {
    {"tp06-epi", "TT2,TT2Cai,TNNP2,TNNP06,TNNP2006,TP06,TP2006,TTP,TTP06,tenTusscher,"
                 "tenTusscher06,tenTusscher2006,tenTusscherPanfilov,tenTusscherPanfilov06,"
                 "tenTusscherPanfilov2006"},
    {"tp06-endo", "TT2endo,TP06Endo,TNNP06Endo,tenTusscher2006Endo,tenTusscherPanfilovEndo"},
    {"tp06-m", "TT2M,TP06M,TP06Mid,TNNP06M,tenTusscher2006M,tenTusscherPanfilovM"},
    {"tp04-epi", "TT,TT1,TNNP,TNNP04,TNNP2004,TP04,tenTusscher04,tenTusscher2004,"
                 "tenTusscherNoble,tenTusscherNobleNoblePanfilov"},
    {"luo-rudy-1991", "LR,LR1,LR91,LRI,LuoRudy,LuoRudy91,LuoRudy1991,LuoRudyI"},
    {"ohara-endo", "ORd,ORd11,ORd2011,OHara,OHara2011,OHaraRudy,OHaraRudy2011,OHaraVirag"},
    {"ohara-cipa-endo", "CiPA,CiPAORd,ORdCiPA,ORdCiPAv1,OHaraCiPA,OHaraCiPAv1,OHaraCiPA2017,Dutta,"
                        "Dutta2017"},
    {"tor-ord-endo", "ToRORd,ToRORdDynCl,ToRORd2019,ToRORd2020,Tomek,Tomek2019,Tomek2020"},
    {"trovato", "PRd,Trovato2020"},
    {"stewart", "Purkinje,Stewart2009,StewartZhang,StewartZhang2008"},
    {"courtemanche-ra", "CRN,CRN98,Courtemanche,Courtemanche98,Courtemanche1998,"
                        "CourtemancheRamirezNattel,CourtemancheRamirezNattel1998,Atrial,Atrium"},
    {"courtemanche-af", "CRNAF,CRNcAF,CourtemancheAF,CourtemanchecAF"},
    {"fabbri", "Fabbri2017,FabbriSeveri,SinusNode,SAN"},
    {"grandi-epi", "GPB,Grandi,Grandi10,Grandi2010,GrandiBers,GrandiPasqualiniBers,"
                   "GrandiPasqualiniBers2010"},
    {"maleckar", "Maleckar2008,Maleckar2009,MGGT"},
    {"bueno-orovio-epi", "BO,BOCF,BuenoOrovio,BuenoOrovio2008,BuenoOrovioCherryFenton,MV,Minimal,"
                         "MinimalModel"},
    {"fenton-karma-br", "FK,FentonKarma,FentonKarma1998,3V"},
    {"aliev-panfilov-1996", "AP,AP96,AlievPanfilov,AlievPanfilov96"},
    {"mitchell-schaeffer", "MS,MitchellSchaeffer,MitchellSchaeffer2003"},
    {"modified-mitchell-schaeffer", "mMS,CorradoNiederer,CorradoNiederer2016,ModifiedMS"},
    {"fitzhugh-nagumo", "FHN,FN,FitzHughNagumo,RogersMcCulloch,RM,RM94"},
    {"passive", "Leak,Linear,PassiveMembrane"},
};

/* Published models that we lack: their names, then their cell and our nearest models. A model of another species or
 * part of the heart is labelled as such and never substituted. */
static const char *const missing[][2] = {
    {"Nygren,Nygren1998", "the human atrium; nearest here: maleckar, courtemanche-ra"},
    {"Koivumaki,Koivumaki2011,Koivumaki2014,Skibsbye,GrandiPanditVoigt,Grandi2011,"
     "GrandiAtrial,Colman",
     "the human atrium; nearest here: maleckar, courtemanche-ra"},
    {"Ramirez,Ramirez2000,RNC", "the canine atrium; nearest here: courtemanche-ra, human"},
    {"Lindblad,Hilgemann", "the rabbit atrium; nearest here: courtemanche-ra, human"},
    {"Kurata,Kurata2002,Demir,Zhang2000,Maltsev,MaltsevLakatta,Severi,Severi2012",
     "the rabbit sinus node; nearest here: fabbri, human"},
    {"Inada,Inada2009", "the rabbit atrioventricular node; there is none of it here"},
    {"ARPF,Aslanidi,Aslanidi2009", "the rabbit Purkinje cell; nearest here: stewart and trovato, human"},
    {"DiFrancescoNoble,DiFranNoble,Noble1962,McAllisterNobleTsien,MNT",
     "the mammalian Purkinje cell; nearest here: stewart and trovato, human"},
    {"LRDII,LuoRudy94,LRDIIF,LRd,LRd94,LuoRudy1994,LuoRudyII,FaberRudy,FaberRudy2000,Livshitz,"
     "LivshitzRudy",
     "the guinea pig ventricle; nearest here: luo-rudy-1991"},
    {"BeelerReuter,BR,BR77,BeelerReuter1977,MBRDR,DrouhardRoberge",
     "the mammalian ventricle; nearest here: luo-rudy-1991, and fenton-karma-br in three variables"},
    {"Shannon,Shannon2004,ShannonBers,UCLARAB,Mahajan,Mahajan2008,MahajanShiferaw,"
     "PuglisiBers,Puglisi",
     "the rabbit ventricle; there is none of it here, grandi-epi is the human descendant of Shannon's"},
    {"Fox,FoxMcHargGilmour,HundRudy,HundRudy2004,Decker,Decker2009,GWCanine,Winslow,"
     "Winslow1999,FlaimGilesMcCulloch",
     "the canine ventricle; there is none of it here, ohara-epi is of the human one"},
    {"Bondarenko,Bondarenko2004,WangSobie,MurineMouse,Mouse,Pandit,Pandit2001,Rat",
     "the ventricle of rodents; there is none of it here"},
    {"Iyer,Iyer2004,PriebeBeuckelmann,PB,TTRed,Carro,Carro2011,CRLP,Bartolucci,"
     "Bartolucci2020,BPS2020,Fink,Fink2008",
     "the human ventricle; nearest here: ohara-endo, tor-ord-endo, grandi-epi, tp06-epi"},
    {"Paci,Paci2013,Paci2018,Paci2020,Kernik,Kernik2019",
     "cells from human stem cells; there is none of them here"},
    {"MacCannell,MacCannellFb,Fibroblast,SachseFibroblast",
     "the human ventricle's fibroblast; there is none of it here"},
    {"LoeweLutz,Loewe,Loewe2019,VerkerkWilders,Chandler", "the human sinus node; nearest here: fabbri"},
    {"ECME,IribeKohl,NobleVarghese", "the guinea pig ventricle; nearest here: luo-rudy-1991"},
    {"LMCG", "the rabbit atrium; nearest here: courtemanche-ra, human"},
    {"HodgkinHuxley,HH,HH52,Plonsey", "a nerve; there is none of it here"},
};

/* Whether the name is in the list. Only letters and digits are compared, ignoring case. */
static bool lists(const char *list, const char *name)
{
    while (*list) {
        const char *at = name;
        bool same = true;
        for (; *list && *list != ','; list++) {
            while (*at && !isalnum((unsigned char)*at))
                at++;
            same = same && tolower((unsigned char)*at) == tolower((unsigned char)*list);
            at += *at != 0;
        }
        while (*at && !isalnum((unsigned char)*at))
            at++;
        if (same && !*at)
            return true;
        list += *list == ',';
    }
    return false;
}

const char *model_names_find(const char *name, const char **lacking)
{
    *lacking = NULL;
    for (size_t k = 0; k < sizeof missing / sizeof *missing && !*lacking; k++)
        if (lists(missing[k][0], name))
            *lacking = missing[k][1];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (lists(known[k][1], name))
            return known[k][0];
    return NULL;
}
